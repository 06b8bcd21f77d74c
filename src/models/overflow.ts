// Whether a provider's error says that the conversation is too long for the model. Pure.
// Every provider has its own words for it; a wrong yes costs one compaction, a wrong no costs the run.

const WORDS = [
  // OpenAI and who speaks its protocol
  /context_length_exceeded|maximum context length|exceed_context_size_error/i,
  // llama.cpp, LM Studio, vLLM
  /exceeds? the (?:available|model'?s?|maximum)? ?context|context (?:the )?overflows|longer than the maximum model length/i,
  // Anthropic
  /prompt is too long|input length and `?max_tokens`? exceed context/i,
  // Ollama
  /(?:input|prompt)(?: length)? exceeds (?:the |maximum )?context|exceeded max context length|prompt too long/i,
  // Gemini behind a compatible address
  /exceeds the maximum number of tokens/i,
];

/** `text`: the provider's message or body. */
export const saysTooLong = (text: string): boolean => WORDS.some((words) => words.test(text));
