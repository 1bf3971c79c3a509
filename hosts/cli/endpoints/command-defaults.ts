import type { Session } from "../connection/session.ts";

type Input = Readonly<Record<string, unknown>>;

/** Defaults that the CLI adds to those of the interface. */
const defaults: Readonly<Record<string, (session: Session, input: Input) => Promise<Input>>> = {
  // A secret stays in its vault unless another is named (null: the deployment's default store).
  "secrets.rotate": async ({ client }, { secretId, providerConfigId }) =>
    providerConfigId === undefined
      ? { providerConfigId: (await client.secrets.get({ secretId: secretId as never })).providerConfigId }
      : {},
};

export const commandDefaults = async (name: string, session: Session, input: Input): Promise<Input> =>
  (await defaults[name]?.(session, input)) ?? {};
