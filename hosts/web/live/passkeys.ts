import { client } from "./client.ts";

type Assertion = Parameters<typeof client.session.verify>[0]["response"];
type Attestation = Parameters<typeof client.passkeys.create>[0]["response"];
type RequestOptions = Parameters<typeof PublicKeyCredential.parseRequestOptionsFromJSON>[0];
type CreationOptions = Parameters<typeof PublicKeyCredential.parseCreationOptionsFromJSON>[0];

/** Whether passkeys of that origin work on this page and in this browser. */
export const worksHere = (origin: string | undefined): boolean =>
  origin === location.origin &&
  typeof PublicKeyCredential === "function" &&
  "parseRequestOptionsFromJSON" in PublicKeyCredential;

const messages: Readonly<Record<string, string>> = {
  NotAllowedError: "No passkey was used. Try again.",
  InvalidStateError: "This device already has a passkey of yours.",
};

/** Waits for the authenticator; what browsers report of it is no sentence for people. */
const answered = async (asked: Promise<Credential | null>): Promise<PublicKeyCredential> => {
  const credential = await asked.catch((error: unknown) => {
    const message = error instanceof DOMException ? messages[error.name] : undefined;
    throw message === undefined ? error : new Error(message);
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error(messages.NotAllowedError);
  return credential;
};

const assertion = async () => {
  const { flow, options } = await client.session.beginByPasskey();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as RequestOptions);
  const credential = await answered(navigator.credentials.get({ publicKey }));
  return { flow, response: credential.toJSON() as unknown as Assertion };
};

/** Exchanges an answer of the authenticator for a session cookie. */
export const signInByPasskey = async (): Promise<void> => {
  const { flow, response } = await assertion();
  await client.session.createByPasskey({ flow, response });
};

/** Verifies the person who is signed in, for what can't be undone. */
export const verifyByPasskey = async (): Promise<void> => {
  const { flow, response } = await assertion();
  await client.session.verify({ flow, response });
};

/** Makes a passkey; its answer is registered by `passkeys.create`. */
export const makePasskey = async () => {
  const { flow, options } = await client.passkeys.begin();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as CreationOptions);
  const credential = await answered(navigator.credentials.create({ publicKey }));
  return { flow, response: credential.toJSON() as unknown as Attestation };
};
