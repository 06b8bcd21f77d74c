// The part of node-llama-cpp that is used, as a shape: the module itself is no dependency and is loaded when asked for.

export type GgufSchema = Record<string, unknown>;
export type GgufCall = { type: 'functionCall'; name: string; params: unknown; result: unknown };
export type GgufItem =
  | { type: 'system' | 'user'; text: string }
  | { type: 'model'; response: (string | GgufCall)[] };
export type GgufFunctions = Record<string, { description: string; params?: GgufSchema }>;

type Meter = { usedInputTokens: number; usedOutputTokens: number };
type Tokenizer = unknown;
export type GgufSequence = {
  tokenMeter: { getState(): Meter; diff(before: Meter): Meter };
  dispose(): void;
};
export type GgufModel = {
  tokenizer: Tokenizer;
  createContext(options: { contextSize?: number; sequences: number }): Promise<{
    contextSize: number;
    getSequence(): GgufSequence;
  }>;
  dispose(): Promise<void>;
};
export type GgufAnswer = {
  functionCalls?: { functionName: string; params: unknown }[];
  metadata: { stopReason: string };
};
export type GgufChat = {
  chatWrapper: {
    generateContextState(of: { chatHistory: GgufItem[]; availableFunctions?: GgufFunctions }): {
      contextText: { tokenize(tokenizer: Tokenizer): { length: number } };
    };
  };
  generateResponse(
    history: GgufItem[],
    options: {
      functions?: GgufFunctions;
      signal: AbortSignal;
      maxTokens: number;
      contextShift: { size: number };
      onResponseChunk(chunk: { type?: string; text: string }): void;
    },
  ): Promise<GgufAnswer>;
};
export type GgufModule = {
  getLlama(options: { build: 'never'; progressLogs: false; logLevel: 'error' }): Promise<{
    loadModel(options: { modelPath: string; loadSignal: AbortSignal }): Promise<GgufModel>;
  }>;
  LlamaChat: new (options: {
    contextSequence: GgufSequence;
    autoDisposeSequence: boolean;
  }) => GgufChat;
};
