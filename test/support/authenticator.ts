import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

/** Deviations of an authenticator or its browser from the options of the service. */
export interface Deviations {
  readonly origin?: string;
  readonly rpId?: string;
  readonly userVerified?: boolean;
  readonly counter?: number;
  readonly type?: string;
  readonly challenge?: string;
}

const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string): Buffer => createHash("sha256").update(bytes).digest();

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

/** An authenticator in software, with the browser before it: one credential, by P-256 keys of this process. */
export const authenticator = (origin: string) => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(20);
  const state = { counter: 0 };
  const clientData = (type: string, options: Options, differs: Deviations): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: differs.type ?? type,
        challenge: differs.challenge ?? options.challenge,
        origin: differs.origin ?? origin,
        crossOrigin: false,
      }),
    );
  /** Flags: the user is present (1), verified (4), credential data is attached (64). */
  const dataOf = (rpId: string, differs: Deviations, attached: Uint8Array = Buffer.alloc(0)): Buffer => {
    const flags = 1 | ((differs.userVerified ?? true) ? 4 : 0) | (attached.length > 0 ? 64 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(differs.counter ?? state.counter);
    return Buffer.concat([sha256(differs.rpId ?? rpId), Buffer.from([flags]), counter, attached]);
  };
  return {
    id: base64Url(id),
    /** Signatures that it has counted; it begins at zero and stays there as long as nothing sets it. */
    state,
    /** Answers options of a registration. */
    create: (options: Options, differs: Deviations = {}) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attached = Buffer.concat([Buffer.alloc(16), length, id, coseOf(publicKey)]);
      const attestation = new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(dataOf(options.rp!.id, differs, attached))],
      ]);
      return {
        id: base64Url(id),
        type: "public-key",
        response: {
          clientDataJSON: base64Url(clientData("webauthn.create", options, differs)),
          attestationObject: base64Url(isoCBOR.encode(attestation as never)),
        },
      };
    },
    /** Answers options of a sign-in; `as` is the credential in whose name it answers. */
    get: (options: Options, differs: Deviations & { readonly as?: string } = {}) => {
      const clientDataJson = clientData("webauthn.get", options, differs);
      const data = dataOf(options.rpId!, differs);
      const signature = sign("sha256", Buffer.concat([data, sha256(clientDataJson)]), privateKey);
      return {
        id: differs.as ?? base64Url(id),
        type: "public-key",
        response: {
          clientDataJSON: base64Url(clientDataJson),
          authenticatorData: base64Url(data),
          signature: base64Url(signature),
        },
      };
    },
  };
};

export type Authenticator = ReturnType<typeof authenticator>;

/** EC2, ES256, P-256, x and y. */
const coseOf = (key: KeyObject): Uint8Array => {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));
  return isoCBOR.encode(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]) as never,
  );
};
