// Main dies in each of the eight states of a subagent; what then holds is said in support/state-table.
import { describeKillsOf } from '../support/killed-in-state.ts';

describeKillsOf('main');
