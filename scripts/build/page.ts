// The page as files in dist/web, each also compressed: nothing is compressed while somebody waits.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Complete or not at all: built beside the old one, then put in its place. */
export async function buildPage(root: string): Promise<void> {
  const { build } = await import('vite');
  const made = join(root, `dist/web.${process.pid}`);
  await build({
    configFile: false,
    root: join(root, 'src/web'),
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: made,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: false,
    },
  });
  for (const name of readdirSync(made, { recursive: true }) as string[]) {
    if (!/\.(js|css|html|svg)$/.test(name)) continue;
    const file = join(made, name);
    const content = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  }
  const place = join(root, 'dist/web');
  const old = `${place}.old.${process.pid}`;
  try {
    renameSync(place, old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  renameSync(made, place);
  rmSync(old, { recursive: true, force: true });
}
