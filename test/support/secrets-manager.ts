import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const accessKeyId = "AKIATESTTESTTESTTEST";
export const secretAccessKey = "a-secret-access-key-of-the-tests-only";
export const region = "eu-central-1";
const account = "123456789012";

interface StoredSecret {
  readonly name: string;
  readonly arn: string;
  readonly description?: string | undefined;
  readonly kmsKeyId?: string | undefined;
  readonly tags: readonly unknown[];
  readonly versions: { id: string; value: string }[];
}

/** A stub of AWS Secrets Manager: JSON 1.1 over HTTP with SigV4 signatures that are verified. */
export interface SecretsManager {
  readonly url: string;
  /** Every operation with a valid signature, in order. */
  readonly operations: string[];
  /** The number of invalid signatures. */
  readonly forgeries: string[];
  readonly secrets: ReadonlyMap<string, StoredSecret>;
  put(
    name: string,
    value: string,
    more?: { description?: string; kmsKeyId?: string; tags?: readonly unknown[] },
  ): string;
  /** These operations are answered with AccessDeniedException. */
  deny(...operations: string[]): void;
  /** The next so many requests are answered with ThrottlingException. */
  throttle(count: number): void;
  /** Connections are cut without an answer. */
  goAway(): void;
  comeBack(): void;
  stop(): Promise<void>;
}

export const startSecretsManager = async (): Promise<SecretsManager> => {
  const secrets = new Map<string, StoredSecret>();
  const pages = new Map<string, { from: number; filter: string }>();
  const operations: string[] = [];
  const forgeries: string[] = [];
  let denied: readonly string[] = [];
  let throttled = 0;
  let away = false;

  const put: SecretsManager["put"] = (name, value, { description, kmsKeyId, tags = [] } = {}) => {
    const arn = `arn:aws:secretsmanager:${region}:${account}:secret:${name}-${randomBytes(3).toString("hex")}`;
    secrets.set(name, { name, arn, description, kmsKeyId, tags, versions: [{ id: randomUUID(), value }] });
    return arn;
  };
  const find = (id: string): StoredSecret => {
    const found = [...secrets.values()].find(({ name, arn }) => id === name || id === arn);
    if (found === undefined) throw new Fault("ResourceNotFoundException");
    return found;
  };

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every operation.
  const answer = (operation: string, body: Record<string, any>): unknown => {
    switch (operation) {
      case "ListSecrets": {
        const size = body.MaxResults ?? 100;
        const filter = body.Filters?.[0]?.Values?.[0] ?? "";
        const page = body.NextToken === undefined ? { from: 0, filter } : pages.get(body.NextToken);
        if (page === undefined) throw new Fault("InvalidNextTokenException");
        const all = [...secrets.values()].filter(({ name }) => name.includes(page.filter));
        const next = page.from + size;
        const token = randomBytes(24).toString("base64");
        if (next < all.length) pages.set(token, { from: next, filter: page.filter });
        return {
          SecretList: all.slice(page.from, next).map((secret) => ({
            ARN: secret.arn,
            Name: secret.name,
            Description: secret.description,
            KmsKeyId: secret.kmsKeyId,
            Tags: secret.tags,
            CreatedDate: 1_700_000_000,
            LastChangedDate: 1_700_000_100,
          })),
          ...(next < all.length ? { NextToken: token } : {}),
        };
      }
      case "DescribeSecret": {
        const secret = find(body.SecretId);
        return { ARN: secret.arn, Name: secret.name };
      }
      case "GetSecretValue": {
        const secret = find(body.SecretId);
        const version =
          body.VersionId === undefined
            ? secret.versions.at(body.VersionStage === "AWSPREVIOUS" ? -2 : -1)
            : secret.versions.find(({ id }) => id === body.VersionId);
        if (version === undefined) throw new Fault("ResourceNotFoundException");
        return { ARN: secret.arn, Name: secret.name, VersionId: version.id, SecretString: version.value };
      }
      case "CreateSecret": {
        if (secrets.has(body.Name)) throw new Fault("ResourceExistsException");
        const arn = put(body.Name, body.SecretString, {
          description: body.Description,
          kmsKeyId: body.KmsKeyId,
          tags: body.Tags,
        });
        const [version] = find(arn).versions;
        version!.id = body.ClientRequestToken;
        return { ARN: arn, Name: body.Name, VersionId: version!.id };
      }
      case "PutSecretValue": {
        const secret = find(body.SecretId);
        secret.versions.push({ id: body.ClientRequestToken, value: body.SecretString });
        return { ARN: secret.arn, Name: secret.name, VersionId: body.ClientRequestToken };
      }
      default:
        throw new Fault("InvalidRequestException");
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (away) return void request.socket.destroy();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts);
    const operation = String(request.headers["x-amz-target"]).replace("secretsmanager.", "");
    const say = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify(body));
    };
    try {
      if (!isSignedWell(request, text)) {
        forgeries.push(operation);
        throw new Fault("InvalidSignatureException");
      }
      operations.push(operation);
      if (throttled > 0) {
        throttled -= 1;
        throw new Fault("ThrottlingException");
      }
      if (denied.includes(operation)) throw new Fault("AccessDeniedException");
      say(200, answer(operation, JSON.parse(text.toString("utf8"))));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // A provider's message may contain anything; none of it may be passed on.
      say(400, { __type: error.message, message: `${error.message} of ${text.toString("utf8")}` });
    }
  };

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations,
    forgeries,
    secrets,
    put,
    deny: (...names) => {
      denied = names;
    },
    throttle: (count) => {
      throttled = count;
    },
    goAway: () => {
      away = true;
      server.closeAllConnections();
    },
    comeBack: () => {
      away = false;
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
};

class Fault extends Error {}

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Calculates Signature Version 4 from the request as received. */
const isSignedWell = (request: IncomingMessage, body: Buffer): boolean => {
  const header = request.headers.authorization ?? "";
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/secretsmanager\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      header,
    );
  if (match === null) return false;
  const [, key, day, zone, names, signature] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const signed = names.split(";");
  if (key !== accessKeyId || zone !== region || !signed.includes("host") || !signed.includes("x-amz-target"))
    return false;
  const at = String(request.headers["x-amz-date"]);
  const canonical = [
    request.method,
    "/",
    "",
    ...signed.map((name) => `${name}:${String(request.headers[name] ?? "").trim()}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${zone}/secretsmanager/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", at, scope, sha256(canonical)].join("\n");
  const signingKey = ["secretsmanager", "aws4_request"].reduce<Buffer>(
    (last, part) => hmac(last, part),
    hmac(hmac(`AWS4${secretAccessKey}`, day), zone),
  );
  return timingSafeEqual(hmac(signingKey, toSign), Buffer.from(signature, "hex"));
};

/** The environment variables with which a service reaches it. The SDK reads its credentials from the process. */
export const variablesOf = (manager: Pick<SecretsManager, "url">): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_EC2_METADATA_DISABLED: "true",
  SERVICE_CLOUD_A_ENDPOINT: manager.url,
});
