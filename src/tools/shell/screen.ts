// What a command printed as a person would see it on a screen: without colours and cursor moves, and of a line that
// was written over and over only its last state. Pure; the log keeps every byte.

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours and moves of the cursor
const MOVES = /\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: titles of a window, links
const TITLES = /\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is left of them; line breaks and tabs stay
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** A progress bar writes its line again after each carriage return. */
const lastState = (line: string): string => {
  const ended = line.endsWith('\r') ? '\r' : '';
  const body = ended === '' ? line : line.slice(0, -1);
  return body.slice(body.lastIndexOf('\r') + 1) + ended;
};

export const onScreen = (text: string): string =>
  text
    .replace(MOVES, '')
    .replace(TITLES, '')
    .split('\n')
    .map(lastState)
    .join('\n')
    .replace(CONTROLS, '\uFFFD');
