// What the store keeps of the cost of model calls.
import type { Amount, DaySpend, NodeSpend, Reservation, Settlement, Spender } from './spend.ts';

export type SpendReads = {
  /** Every node of a query that has made a model call, in no order. */
  ofQuery(query_id: string): Promise<NodeSpend[]>;
  ofNode(query_id: string, node_id: string): Promise<NodeSpend | null>;
  /** Model steps that a run has begun. */
  iterationsOf(run_id: string): Promise<number>;
  ofDay(day: string): Promise<DaySpend>;
  /** The most that the calls under way may cost: of all, or of a node, a tree or a day. */
  underWay(of: { query_id?: string; node_id?: string; day?: string }): Promise<Amount>;
  /** What the last `n` completed tasks of a role have cost each, newest first. */
  ofRole(role: string, n: number): Promise<Amount[]>;
};
export type SpendWrites = SpendReads & {
  /** A run begins a model step. */
  step(by: Spender): Promise<void>;
  /** Answers the number by which it is settled. */
  reserve(row: Reservation): Promise<number>;
  /** Takes the reservation back and counts what came of it. A second time it changes nothing. */
  settle(call_id: number, came: Settlement): Promise<void>;
  /** Counts every call under way as spent in full, as an estimate; answers how many and how much. */
  settleAll(): Promise<{ calls: number; spent: Amount }>;
};
