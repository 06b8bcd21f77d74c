// The flags that change the configuration, the same for every command that reads it.
import type { Command } from 'commander';

export const withConfigFlags = (command: Command): Command =>
  command
    .option(
      '--config <file>',
      'configuration file (default: TROUPE_CONFIG, ./config.toml, ~/.troupe/config.toml)',
    )
    .option('--host <address>', 'address to listen on')
    .option('--port <port>', 'port to listen on; 0: any')
    .option('--state-dir <folder>', 'database, logs and workdirs')
    .option('--model <model>', 'provider:model, echo or offline')
    .option('--topology <topology>', 'split, single or hybrid')
    .option('--max-subagents <n>', 'most subagents at work at once')
    .option('--max-iterations <n>', 'most model calls of one turn')
    .option('--log-level <level>', 'how much is logged');
