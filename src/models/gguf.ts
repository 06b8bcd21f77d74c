// A model file of this machine, run inside main by node-llama-cpp, which is installed by those who want it.
// One model is loaded and one call is answered at a time; the others wait in line.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { ModelChunk } from '../domain/message.ts';
import type { GgufChat, GgufFunctions, GgufModule, GgufSequence } from './gguf-module.ts';
import { argumentsOf, toGgufFunctions, toGgufHistory } from './gguf-prompt.ts';
import { type Prices, type Provider, type ProviderAsk, ProviderFailure } from './provider.ts';
import { thinkApart } from './think-apart.ts';
import { usageOf } from './usage.ts';

export type GgufDeps = {
  /** Tokens of context; 0 = what the file and the memory allow. */
  num_ctx: number;
  prices: Prices;
  load?: () => Promise<GgufModule>;
};

const MODULE = 'node-llama-cpp';
/** How often a call that waits in line says so: well below every deadline for a first token. */
const LOOK_MS = 1_000;
/** Room that an answer needs at least, as a part of the context. */
const LEAST_ROOM = 1 / 16;

type Loaded = {
  path: string;
  chat: GgufChat;
  sequence: GgufSequence;
  size: number;
  tokens(history: ReturnType<typeof toGgufHistory>, functions: GgufFunctions): number;
  dispose(): Promise<void>;
};
const refuse = (text: string, status: number): ProviderFailure =>
  new ProviderFailure('answer', text, { status });

/** Resolves when it is woken, or after a while. */
function soon(wakeable: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOK_MS);
    wakeable(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export function createGguf({ num_ctx, prices, ...deps }: GgufDeps): Provider {
  const load = deps.load ?? (() => import(MODULE) as Promise<GgufModule>);
  let loaded: Loaded | null = null;
  let line: Promise<unknown> = Promise.resolve();

  async function moduleFor(spec: string): Promise<GgufModule> {
    try {
      return await load();
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
      const why = missing ? 'is not installed' : `cannot be loaded (${(error as Error).message})`;
      const how = `run "npm install ${MODULE}" in the folder of Troupe and start it again`;
      throw refuse(`${spec} needs ${MODULE}, which ${why}: ${how}`, 400);
    }
  }

  async function open({ spec, model: path }: ProviderAsk, signal: AbortSignal): Promise<Loaded> {
    if (loaded?.path === path) return loaded;
    if (!existsSync(path)) throw refuse(`${spec}: there is no file ${path}`, 400);
    const { getLlama, LlamaChat } = await moduleFor(spec);
    await loaded?.dispose();
    loaded = null;
    const llama = await getLlama({ build: 'never', progressLogs: false, logLevel: 'error' });
    const model = await llama.loadModel({ modelPath: path, loadSignal: signal });
    const context = await model.createContext({
      sequences: 1,
      ...(num_ctx > 0 ? { contextSize: num_ctx } : {}),
    });
    const sequence = context.getSequence();
    const chat = new LlamaChat({ contextSequence: sequence, autoDisposeSequence: false });
    loaded = {
      path,
      chat,
      sequence,
      size: context.contextSize,
      tokens: (chatHistory, availableFunctions) =>
        chat.chatWrapper
          .generateContextState({ chatHistory, availableFunctions })
          .contextText.tokenize(model.tokenizer).length,
      dispose: () => model.dispose(),
    };
    return loaded;
  }

  /** Says each piece as it comes; resolves with the end. */
  async function answer(
    ask: ProviderAsk,
    signal: AbortSignal,
    say: (chunk: ModelChunk) => void,
  ): Promise<void> {
    const { spec, tools } = ask;
    const { chat, sequence, size, tokens } = await open(ask, signal);
    const history = toGgufHistory(ask.messages);
    const functions = toGgufFunctions(tools);
    const used = tokens(history, functions);
    if (used > size * (1 - LEAST_ROOM)) {
      const text = `the conversation is too long for ${spec}: ${used} tokens of ${size}`;
      throw new ProviderFailure('overflow', text);
    }
    const before = sequence.tokenMeter.getState();
    const { functionCalls = [], metadata } = await chat.generateResponse(history, {
      signal,
      ...(tools.length > 0 ? { functions } : {}),
      // An answer never pushes out the conversation: it ends at the limit, and says so.
      maxTokens: Math.min(size - used - 1, ask.max_output ?? Number.POSITIVE_INFINITY),
      contextShift: { size: 1 },
      onResponseChunk: ({ type, text }) =>
        say({ type: type === 'segment' ? 'reasoning' : 'text', text }),
    });
    for (const { functionName: name, params } of functionCalls)
      say({
        type: 'tool_call',
        call: { id: `call_${randomUUID()}`, name, arguments: argumentsOf(params) },
      });
    const { usedOutputTokens: output } = sequence.tokenMeter.diff(before);
    const calls = functionCalls.length > 0 ? 'tool_calls' : 'stop';
    const finish = metadata.stopReason === 'maxTokens' ? 'length' : calls;
    say({
      type: 'end',
      finish,
      model: spec,
      usage: usageOf({ input: used, output }, spec, prices),
    });
  }

  async function* stream(ask: ProviderAsk, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    const waiting: ModelChunk[] = [];
    let wake: () => void = () => {};
    let over = false;
    let inLine = true;
    let failure: unknown = null;
    const say = (chunk: ModelChunk): void => {
      waiting.push(chunk);
      wake();
    };
    const mine = line
      .then(async () => {
        inLine = false;
        signal.throwIfAborted();
        await answer(ask, signal, say);
      })
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        over = true;
        wake();
      });
    line = mine;
    while (!over || waiting.length > 0) {
      const next = waiting.shift();
      if (next) yield next;
      else {
        await soon((resolve) => (wake = resolve));
        // Standing in line is no silence of the model.
        if (inLine) yield { type: 'reasoning', text: '' };
      }
    }
    if (failure === null) return;
    if (failure instanceof ProviderFailure) throw failure;
    const text = failure instanceof Error ? failure.message : String(failure);
    throw refuse(`${ask.spec} failed: ${text.slice(0, 400)}`, 500);
  }

  return {
    name: 'gguf',
    place: 'local',
    problem: null,
    ...(num_ctx > 0 ? { context: num_ctx } : {}),
    stream: (ask, signal) => thinkApart(stream(ask, signal)),
  };
}
