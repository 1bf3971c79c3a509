import type { AdapterModel, DetectedModel, ModelsContext } from "../../../ports/agent-adapter.ts";
import type { AcpConfig } from "../../kit/acp/config.ts";
import type { Speaker } from "../../kit/acp/conversation.ts";
import { initialize } from "../../kit/acp/open-session.ts";
import { rpcClient } from "../../kit/acp/rpc-client.ts";
import { speakWith } from "../../kit/acp/run-agent.ts";
import { type SessionModels, sessionModels } from "../../kit/acp/session-models.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import { detected } from "../../kit/detected-model.ts";
import type { Json } from "../../kit/json.ts";
import { knownModels } from "../../kit/known-models.ts";
import { readConfig } from "./configuration.ts";

/** Empty: each agent knows its own. */
export const models: readonly AdapterModel[] = [];

const limitSec = 40;
const none: SessionModels = { models: [], current: "", option: null };
const known = knownModels<SessionModels>();

/** Returns the models that a new session of the agent `config.agent` offers; empty where it does not open one. */
export const listModels = async (context: ModelsContext): Promise<readonly AdapterModel[]> =>
  (await offered(context)).models;

/** Returns the model that a new session has. */
export const detectModel = async (context: ModelsContext): Promise<DetectedModel | null> => {
  const configured = { model: configOf(context)?.model ?? "", source: "adapterConfig.model" };
  const { current } = await offered(context);
  return detected(
    // Programs that know several providers begin with its name.
    (model) => /^([\w-]+)\//.exec(model)?.[1] ?? "",
    [configured, { model: current, source: `a new session of ${String(context.config.agent)}` }],
  );
};

const offered = async (context: ModelsContext): Promise<SessionModels> => {
  const config = configOf(context);
  if (config === null) return none;
  return known(context, [config.command, ...config.args], async () => {
    let found = none;
    await speakWith(
      context.runProcess,
      { config, env: context.env },
      { timeoutSec: limitSec, graceSec: 2 },
      (write) =>
        asking(write, context.cwd, (opened) => {
          found = sessionModels(opened);
        }),
    );
    return found;
  });
};

const configOf = ({ config }: ModelsContext): AcpConfig | null => {
  try {
    return readConfig(config);
  } catch (refusal) {
    if (refusal instanceof ConfigRefusal) return null;
    throw refusal;
  }
};

/** Opens a session without tools, and says nothing in it. */
const asking = (write: (line: string) => void, cwd: string, onOpened: (opened: Json) => void): Speaker => {
  const client = rpcClient(write, { onRequest: () => undefined, onNotification: () => {} });
  const over = initialize(client)
    .then(() => client.request("session/new", { cwd, mcpServers: [] }))
    .then(onOpened)
    // A program that opens no session has no models.
    .catch(() => {})
    .then(() => true as const);
  return { over, receive: client.receive, close: client.close };
};
