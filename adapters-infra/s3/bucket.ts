import type { S3Client } from "@aws-sdk/client-s3";
import { prepareSdk } from "../aws/prepare-sdk.ts";

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** The endpoint of an S3-compatible service; null: Amazon's. */
  readonly endpoint: string | null;
  /** Prefix of every key, such as `boardroom/`. */
  readonly prefix: string;
  /** Bytes of one part of an upload, of which S3 takes 10,000. Default: 5 MiB. */
  readonly partBytes?: number;
}

/** Limit of one answer from S3, sending a part included. Reading the body is not limited. */
const answerMs = 60_000;
const connectMs = 5_000;
/** Readers may be slow, and each of them uses a connection. */
const connections = 1_000;
/**
 * S3 may close an idle connection at the moment at which it is used again. The library repeats such a request, but all
 * requests share its retries, which end after about 35 of them.
 */
const idleConnections = 16;

/**
 * Amazon checks each object by a checksum, which not all compatible stores know: they are sent none, unless the operator asks for
 * them by the SDK's own variable. Their objects are checked by the signature of each request.
 */
const checksumsOf = (endpoint: string | null) =>
  endpoint === null || process.env.AWS_REQUEST_CHECKSUM_CALCULATION !== undefined
    ? {}
    : ({ requestChecksumCalculation: "WHEN_REQUIRED", responseChecksumValidation: "WHEN_REQUIRED" } as const);

/** Loaded at the first use: a service without S3 does without it. */
export const sdk = () => {
  prepareSdk();
  return import("@aws-sdk/client-s3");
};

export interface Bucket {
  readonly client: () => Promise<S3Client>;
  readonly at: (key: string) => { readonly Bucket: string; readonly Key: string };
  readonly name: string;
}

export const openBucket = ({ bucket, region, endpoint, prefix }: S3Options): Bucket => {
  let opened: Promise<S3Client> | undefined;
  const open = async () => {
    const { S3Client } = await sdk();
    return new S3Client({
      region,
      ...checksumsOf(endpoint),
      requestHandler: {
        connectionTimeout: connectMs,
        requestTimeout: answerMs,
        throwOnRequestTimeout: true,
        httpAgent: { maxSockets: connections, maxFreeSockets: idleConnections },
        httpsAgent: { maxSockets: connections, maxFreeSockets: idleConnections },
      },
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    });
  };
  return {
    name: bucket,
    at: (key) => ({ Bucket: bucket, Key: `${prefix}${key}` }),
    client: () => {
      opened ??= open();
      return opened;
    },
  };
};
