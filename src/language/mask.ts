// Hides what must not be read as words of the request: code, quotes, URLs, paths, SQL, fixed idioms.
// Every hidden character becomes one MASK, so that positions stay those of the text.

/** A private-use character: no rule of any language matches it. */
export const MASK = '\uE000';

const HIDDEN: readonly RegExp[] = [
  /```[\s\S]*?(?:```|$)/g,
  /`[^`\n]*`/g,
  /"[^"\n]*"/g,
  /“[^”\n]*”/g,
  /‘[^’\n]*’/g,
  /「[^」\n]*」|『[^』\n]*』|《[^》\n]*》/g,
  // An apostrophe inside a word (don't) opens no quote.
  /(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu,
  /\bhttps?:\/\/[^\s<>"'，。、]+/gi,
  /\b(?:select|insert into|update|delete from)\b[^.;\n]*\b(?:from|where|set|values)\b[^.;\n]*/gi,
  /(?<![\w/.~-])(?:~|\.{1,2})?(?:\/[\w.@-]+)+\/?/g,
  /(?<![\w/])[\w@-]+(?:\/[\w.@-]+)+\/?/g,
  /(?<![\w.])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}(?!\w)/g,
];

const IDIOMS =
  /\b(?:drag and drop|research and development|search and replace|find and replace|copy and paste|cut and paste|trial and error|terms and conditions|pros and cons|back and forth|up and running|black and white|command and control|plug and play|(?:read|request|question)s? and (?:write|response|answer)s?|(?:input|load|start|create|read) and (?:output|store|stop|delete|write))\b/gi;

export function maskText(text: string): string {
  let masked = text;
  for (const pattern of [...HIDDEN, IDIOMS])
    masked = masked.replace(pattern, (found) => MASK.repeat(found.length));
  return masked;
}
