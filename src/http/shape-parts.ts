// The small pieces of which the shapes are made.
import Type, { type TSchema } from 'typebox';

export const text = (description: string) => Type.String({ description });
export const id = (description: string) => Type.String({ description });
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
export const record = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description });
export const words = (values: readonly string[], description: string) =>
  Type.Enum([...values], { type: 'string', description });
