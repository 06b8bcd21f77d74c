// What the guard runs. Arguments: the marker (NAME=value) and main's process group. It reads its stdin: a line "q" ends it
// in peace, the end of it means that main is gone. Then it kills what carries the marker, each with its process
// group, until nothing has been found for a second. Never itself, never main's own group.

/**
 * POSIX sh with grep and a sleep that knows fractions. A round takes about 30 ms; 35 quiet rounds are at least a second, 400 rounds the most.
 */
export const GUARD_SH = `
trap '' TERM INT HUP
group() { s=; read -r s < "/proc/$1/stat"; s=\${s##*) }; set -- $s; g=\${3:-0}; case $g in ''|*[!0-9]*) g=0;; esac; }
while read -r line; do [ "$line" = q ] && exit 0; done
quiet=0; round=0
while [ $quiet -lt 35 ] && [ $round -lt 400 ]; do
  quiet=$((quiet+1)); round=$((round+1))
  for f in $(grep -lsF "$1" /proc/[0-9]*/environ 2>/dev/null); do
    p=\${f#/proc/}; p=\${p%/environ}
    [ "$p" = $$ ] && continue
    quiet=0
    { group "$p"; } 2>/dev/null
    [ "$g" -gt 1 ] && [ "$g" != "$2" ] && [ "$g" != $$ ] && kill -s KILL -- "-$g" 2>/dev/null
    kill -s KILL "$p" 2>/dev/null
  done
  sleep 0.03
done
exit 0
`;

/** The same for machines without a shell or grep. Costs a Node process, so it is only the second choice. */
export const GUARD_NODE = `
const fs = require('fs'), [marker, main] = process.argv.slice(1);
for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {});
const group = (pid) => { try { const s = fs.readFileSync('/proc/' + pid + '/stat', 'latin1');
  return Number(s.slice(s.lastIndexOf(')') + 2).split(' ')[2]); } catch { return 0; } };
const needle = Buffer.from(marker + '\\0');
const kill = (pid) => { try { process.kill(pid, 'SIGKILL'); } catch {} };
let quiet = 0, rounds = 0;
function round() {
  quiet += 1; rounds += 1;
  for (const pid of fs.readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(pid) || Number(pid) === process.pid) continue;
    try { if (!fs.readFileSync('/proc/' + pid + '/environ').includes(needle)) continue; } catch { continue; }
    quiet = 0;
    const g = group(pid);
    if (g > 1 && g !== Number(main) && g !== process.pid) kill(-g);
    kill(Number(pid));
  }
  if (quiet < 35 && rounds < 400) setTimeout(round, 30); else process.exit(0);
}
process.stdin.on('data', (d) => { if (String(d).includes('q')) process.exit(0); });
process.stdin.once('end', round).once('error', round);
`;
