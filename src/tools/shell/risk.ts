// Commands that could do lasting harm beyond the working folder: they are not run, and the run stops for safety.
// A net under honest agents, not a wall against hostile ones: that is what the sandbox is for. Pure data.

type Risk = { what: string; pattern: RegExp };

// Starts of a command: the line itself, or after ; & | ( ` $( and words such as sudo.
const START = String.raw`(?:^|[;&|(\x60\n]|\$\()\s*(?:(?:sudo|doas|nohup|env|exec|command|time)\s+)*`;
const at = (rest: string): RegExp => new RegExp(START + rest, 'm');

const RISKS: readonly Risk[] = [
  {
    what: 'it deletes a whole system or home folder',
    pattern: at(
      String.raw`rm\s+(?:-\S+\s+)*(?:--\s+)?["']?(?:/|/\*|~|~/|~/\*|\$HOME|\$\{HOME\}|/(?:etc|usr|var|bin|sbin|lib|lib64|boot|home|root|opt|srv|dev|proc|sys))["']?/?\*?(?:\s|$|[;&|])`,
    ),
  },
  { what: 'it formats a disk', pattern: at(String.raw`mkfs(?:\.\w+)?\s`) },
  {
    what: 'it writes to a raw device',
    pattern: /\bof=\/dev\/(?:sd|hd|vd|nvme|xvd|mmcblk|disk)\w*/,
  },
  { what: 'it writes to a raw device', pattern: />\s*\/dev\/(?:sd|hd|vd|nvme|xvd|mmcblk|disk)\w*/ },
  {
    what: 'it turns the machine off',
    pattern: at(String.raw`(?:shutdown|reboot|poweroff|halt)(?:\s|$)`),
  },
  { what: 'it is a fork bomb', pattern: /(\w+|:)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*;\s*\1/ },
  {
    what: 'it runs a script from the network unseen',
    pattern: /\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/,
  },
  {
    what: 'it overwrites the history of a shared branch',
    pattern: at(String.raw`git\s+push\s+(?:[^;&|\n]*\s)?(?:--force(?!-with-lease)|-f)(?:\s|$)`),
  },
];

/** Why a command is not run, or null. */
export const riskOf = (command: string): string | null =>
  RISKS.find(({ pattern }) => pattern.test(command))?.what ?? null;
