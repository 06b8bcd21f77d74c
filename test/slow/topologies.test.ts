// One contract, wherever roles live.
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { topologyContract } from '../contracts/topology.ts';

/** With these in main a parent and its child are on different sides, whichever starts the other. */
const IN_MAIN = ['coder', 'backend', 'architect', 'researcher', 'remember'];

topologyContract({ name: 'split', config: '', processes: BUILT_IN_ROLES });
topologyContract({ name: 'single', config: '', processes: [] });
topologyContract({
  name: 'hybrid',
  config: IN_MAIN.map((role) => `[async_subagents.${role}]\ntransport = "inproc"\n`).join(''),
  processes: BUILT_IN_ROLES.filter((role) => !IN_MAIN.includes(role)),
});
