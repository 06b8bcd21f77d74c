import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Real processes on few cores: more workers than cores only add noise.
    maxWorkers: 2,
    pool: 'forks',
    fileParallelism: true,
  },
});
