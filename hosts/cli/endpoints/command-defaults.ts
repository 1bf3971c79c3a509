import type { Session } from "../connection/session.ts";

type Input = Readonly<Record<string, unknown>>;

/** What a command sends where people leave it out, beyond what the interface does by itself. */
const defaults: Readonly<Record<string, (session: Session, input: Input) => Promise<Input>>> = {
  // A secret stays in its vault, unless another is named (null: where the deployment keeps values).
  "secrets.rotate": async ({ client }, { secretId, providerConfigId }) =>
    providerConfigId === undefined
      ? { providerConfigId: (await client.secrets.get({ secretId: secretId as never })).providerConfigId }
      : {},
};

export const commandDefaults = async (name: string, session: Session, input: Input): Promise<Input> =>
  (await defaults[name]?.(session, input)) ?? {};
