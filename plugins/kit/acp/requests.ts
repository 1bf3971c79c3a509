import type {
  InitializeRequest,
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  ResumeSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from "@agentclientprotocol/sdk";

/** The requests that agents get. Two are no part of the stable protocol: steering is claude's extension, and `session/set_model` is older. */
export interface Requests {
  readonly initialize: InitializeRequest;
  readonly "session/resume": ResumeSessionRequest;
  readonly "session/load": LoadSessionRequest;
  readonly "session/new": NewSessionRequest;
  readonly "session/set_mode": SetSessionModeRequest;
  readonly "session/set_config_option": SetSessionConfigOptionRequest;
  readonly "session/prompt": PromptRequest;
  readonly "_session/steering": PromptRequest;
  readonly "session/set_model": { readonly sessionId: string; readonly modelId: string };
}

export type Method = keyof Requests;

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
} as const satisfies Record<Method, number>;

/** The ids of prompts that join the turn of another begin here. */
export const firstJoiningId = 100;
