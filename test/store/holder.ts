// Opens the database named by argv and holds it until it is killed.
import { silentLog } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';

openDatabase({ file: process.argv[2] ?? '', log: silentLog });
process.stdout.write('open\n');
setInterval(() => undefined, 60_000);
