import { randomUUID } from "node:crypto";
import { clause } from "../../core/model/shared/sentence.ts";
import { openBucket, type S3Options, sdk } from "./bucket.ts";

export interface BucketProblem {
  /** Whether it lasts until an operator changes something: the store refuses what the service needs. */
  readonly lasts: boolean;
  /** Names the bucket, the step and the store's answer, and for one that lasts what to do. */
  readonly message: string;
}

const content = Buffer.from("0123456789");

/**
 * Tries what the service does with a bucket: stores an object, reads a part of it, begins an upload in parts and deletes
 * both. Returns the first problem, or null.
 */
export const probeBucket = async (options: S3Options): Promise<BucketProblem | null> => {
  const bucket = openBucket(options);
  const { AbortMultipartUploadCommand, CreateMultipartUploadCommand, ...commands } = await sdk();
  const client = await bucket.client();
  const at = bucket.at(`probe/${randomUUID()}`);
  let step = "";
  try {
    step = "storing an object";
    await client.send(new commands.PutObjectCommand({ ...at, Body: content }));
    step = "reading a part of an object";
    const { Body } = await client.send(new commands.GetObjectCommand({ ...at, Range: "bytes=2-4" }));
    if ((await Body?.transformToString()) !== "234")
      return {
        lasts: true,
        message: `${named(options)} ignores Range: it answers with the whole object. ${otherStore}`,
      };
    step = "an upload in parts";
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at));
    await client.send(new AbortMultipartUploadCommand({ ...at, UploadId }));
    step = "deleting an object";
    await client.send(new commands.DeleteObjectCommand(at));
    return null;
  } catch (error) {
    return problemOf(options, step, error);
  } finally {
    client.destroy();
  }
};

const named = ({ bucket, endpoint }: S3Options): string =>
  `The bucket ${bucket}${endpoint === null ? "" : ` at ${new URL(endpoint).host}`}`;

const problemOf = (options: S3Options, step: string, error: unknown): BucketProblem => {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (name === "CredentialsProviderError")
    return {
      lasts: true,
      message: `${named(options)} cannot be used: there are no credentials for it. ${otherSettings}`,
    };
  if (status === undefined)
    return { lasts: false, message: `${named(options)} does not answer: ${clause(message)}.` };
  const refused = `${named(options)} refuses ${step}: ${name} (${status}).`;
  // Overload and defects of the store pass; what it has not built, or does not allow, does not.
  if (status === 501) return { lasts: true, message: `${refused} ${otherStore}` };
  return status < 500 && status !== 429
    ? { lasts: true, message: `${refused} ${otherSettings}` }
    : { lasts: false, message: refused };
};

const otherStore = "The service needs a store that can do this.";
const otherSettings = "Check SERVICE_S3_BUCKET and its credentials.";
