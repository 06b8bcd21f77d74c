// The tool names that configuration accepts. Grows by one word when a tool is added; never ahead of it.

/** The tools with which an agent hands work to other roles. */
export const ASYNC_TOOLS = [
  'start_async_task',
  'check_async_task',
  'update_async_task',
  'cancel_async_task',
  'list_async_tasks',
] as const;

/** Every tool there is, in the order in which lists show them. */
export const TOOL_NAMES = [
  'read',
  'write',
  'edit',
  'list',
  'glob',
  'grep',
  'shell',
  'fetch',
  'todo',
  'report_blocked',
  'ask_user',
  'memory_search',
  'memory_store',
  'memory_correct',
  'brain_record',
  'brain_query',
  ...ASYNC_TOOLS,
] as const;
