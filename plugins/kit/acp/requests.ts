/** The ids of our requests, none of which waits twice: the log shows by them what an answer answers. */
export const requestIds = {
  initialize: 1,
  "session/resume": 2,
  "session/load": 3,
  "session/new": 4,
  "session/set_mode": 5,
  "session/set_config_option": 6,
  "session/prompt": 7,
  "_session/steering": 8,
  "session/set_model": 9,
} as const;

/** The ids of prompts that join the turn of another begin here. */
export const firstJoiningId = 100;

export type Method = keyof typeof requestIds;
