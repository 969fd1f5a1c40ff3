-- Agents of an offboarded client remove themselves, told by a signed task like any other.
alter table agent_tasks drop constraint agent_tasks_action_check;
alter table agent_tasks add constraint agent_tasks_action_check
  check (action in ('isolate', 'unisolate', 'blockUser', 'unblockUser', 'killProcess', 'collectFile', 'leave'));
