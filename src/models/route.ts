// Which models a call asks, in which order, and why. Pure.
// A model that somebody named is asked first, and only a failure leads to the next; nobody is asked who is not listed.
import type { ModelRoute } from '../domain/ports.ts';
import type { Choice } from './choose.ts';

export type Tier = 'cheap' | 'strong';
export type RoleModels = { fallback: readonly string[] | null; tier: Tier | null };
export type Routing = {
  chosen: Choice;
  fallback: readonly string[];
  cheap: string | null;
  strong: string | null;
  /** By role name; the main agent and unknown roles have none of their own. */
  roles: ReadonlyMap<string, RoleModels>;
};

/** `asked`: `provider:model` as a role or a query names it, or `default`. */
export function routeOf(routing: Routing, asked: string, role: string): ModelRoute {
  const { chosen } = routing;
  const own = routing.roles.get(role);
  const tier = own?.tier ?? null;
  const tiered = tier === null ? null : routing[tier];
  const resolved = (spec: string): string => (spec === 'default' ? chosen.model : spec);
  const others = (own?.fallback ?? routing.fallback).map(resolved);
  const from = (first: string, why: string): ModelRoute => ({
    models: [...new Set([first, ...others])],
    why,
  });
  if (asked !== 'default') return from(asked, 'named for this agent');
  if (tiered !== null) return from(tiered, `tier ${tier}`);
  return from(chosen.model, chosen.why);
}

/** Those after a model that has answered with nothing. */
export function routeAfter(
  models: readonly string[],
  after: string | undefined,
): readonly string[] {
  if (after === undefined) return models;
  const at = models.indexOf(after);
  return at < 0 ? [] : models.slice(at + 1);
}
