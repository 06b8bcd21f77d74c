/** One word for a POSIX shell, whatever it holds. */
export const shellQuote = (text: string): string =>
  /^[\w./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
