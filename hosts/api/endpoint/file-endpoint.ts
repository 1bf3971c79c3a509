import type * as Effect from "effect/Effect";
import { z } from "zod";
import type { Caller, RunEnded } from "../../../core/model/access/caller.ts";
import type { ReceivedFile } from "../../../core/model/assets/asset.ts";
import type { RefusalType } from "../../../core/model/shared/failure.ts";
import type { App } from "./app.ts";
import { type Call, type Common, defaults, type Endpoint, type InputOf, type Nothing } from "./endpoint.ts";
import type { Exact } from "./exact.ts";
import type { DownloadedFile, FileAnswer } from "./files.ts";

/**
 * The file of an upload: an endpoint whose body has this as its field `file` takes multipart/form-data. Callers pass a
 * Blob; the use case receives the stored file, which is deleted unless the use case references it.
 */
export const UploadedFile = z
  .custom<Blob>((value) => typeof value === "object" && value !== null)
  .transform((file) => file as unknown as ReceivedFile)
  .meta({ type: "string", format: "binary", description: "The file." });

export const takesFile = ({ body }: Pick<Endpoint, "body">): boolean =>
  (body?.shape as Record<string, unknown> | undefined)?.file === UploadedFile;

/** Declares an endpoint that answers with the bytes of a file, or a part of them. */
export const fileEndpoint = <
  const Path extends string,
  F extends RefusalType,
  C extends Caller,
  Failed extends InstanceType<F> | RunEnded,
  Q extends z.ZodObject = Nothing,
>(
  declared: Omit<Common<Path, Q, Nothing, C>, "method" | "body"> & {
    readonly failures: readonly F[];
    readonly run: (
      app: App,
      input: InputOf<Path, Q, Nothing>,
      call: Call<C>,
    ) => Effect.Effect<FileAnswer, Failed>;
  } & Exact<FileAnswer, FileAnswer, Failed, F>,
): Endpoint<Path, Q, Nothing, z.ZodType<DownloadedFile>, "file"> => ({
  ...defaults(declared),
  returns: z.custom<DownloadedFile>(() => true).meta({ type: "string", format: "binary" }),
  media: "file",
});
