import { asObject, asObjects, asText, type Json } from "../json.ts";
import type { AcpConfig } from "./config.ts";
import { messageOf, Unfit } from "./failures.ts";
import { type RpcClient, RpcError } from "./rpc-client.ts";
import { sessionModels } from "./session-models.ts";

/** Sets the mode that fits the policy, always: some agents start in one in which a model decides. */
export const setMode = async (
  client: RpcClient,
  sessionId: string,
  { modes, configOptions }: Json,
  config: AcpConfig,
  note: (line: string) => void,
): Promise<void> => {
  const { preset, policy, mode } = config;
  const options = asObjects(configOptions);
  const ofModes = options.find(({ category }) => category === "mode");
  const offered = [
    ...asObjects(asObject(modes)?.availableModes).map(({ id, name }) => ({ id, name, option: null })),
    ...asObjects(ofModes?.options).map(({ value, name }) => ({ id: value, name, option: ofModes?.id })),
  ];
  const wanted = mode === undefined ? preset.modes[policy] : [mode];
  const found = wanted
    .map((name) => offered.find((one) => isNamed(name, one.id, one.name)))
    .find((one) => one !== undefined);
  const set = (configId: unknown, value: unknown) =>
    client.request("session/set_config_option", {
      sessionId,
      configId: asText(configId),
      value: asText(value),
    });
  try {
    if (found === undefined) {
      if (wanted.length > 0) note(`The agent offers no mode ${wanted.join(" or ")}: it stays in its own.`);
    } else if (found.option === null)
      await client.request("session/set_mode", { sessionId, modeId: asText(found.id) });
    else await set(found.option, found.id);
    const { allowAllOption } = preset;
    if (allowAllOption !== undefined && options.some(({ id }) => id === allowAllOption))
      await set(allowAllOption, policy === "allow" ? "on" : "off");
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    note(`The agent refused its mode (${messageOf(error)}): it stays in its own.`);
  }
};

/** Sets the configured model: a run with another one would cost what nobody chose. */
export const setModel = async (
  client: RpcClient,
  sessionId: string,
  opened: Json,
  { model }: AcpConfig,
): Promise<void> => {
  if (model === undefined) return;
  const { models, current, option } = sessionModels(opened);
  if (model === current) return;
  const wanted = models.find(({ id, label }) => id === model || label === model);
  if (wanted === undefined) {
    const offered = models.map(({ id }) => id);
    throw new Unfit(
      `it offers no model ${model}${offered.length === 0 ? ", and none by the protocol: set it by its env or extraArgs" : `, but ${listed(offered)}`}.`,
    );
  }
  if (option === null) await client.request("session/set_model", { sessionId, modelId: wanted.id });
  else await client.request("session/set_config_option", { sessionId, configId: option, value: wanted.id });
};

const listed = (names: readonly string[]): string =>
  names.length > 20 ? `${names.slice(0, 20).join(", ")} and ${names.length - 20} more` : names.join(", ");

/** Modes are named by ids, some of which are addresses that end with the name. */
const isNamed = (name: string, id: unknown, shown: unknown): boolean =>
  id === name || asText(id).endsWith(`#${name}`) || asText(shown).toLowerCase() === name.toLowerCase();
