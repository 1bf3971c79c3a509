import * as Effect from "effect/Effect";
import type { ReceivedFile } from "../../core/model/assets/asset.ts";
import { type Refusal, refusal } from "../../core/model/shared/failure.ts";
import { BlobsUnavailable } from "../../ports/blob-store.ts";
import type { App } from "../api/endpoint/app.ts";
import { ValidationFailed } from "../api/endpoint/dispatch.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import { BodyTooLarge, type HttpRequest, RequestAborted } from "./listener.ts";
import { FileMissing, MalformedMultipart, NotMultipart, readMultipart, UnexpectedPart } from "./multipart.ts";

export class NotAnUpload extends refusal(
  "unsupported_media_type",
  "unsupported_type",
  "The body must be multipart/form-data.",
) {}
export class FileTooLarge extends refusal("payload_too_large", "too_large", "The file is too large.") {}
export class UploadBrokenOff extends refusal("body_incomplete", "invalid", "The body ended early.") {}

/**
 * Stores the file of an upload as it arrives; the body is then its fields and `file`. `received` gets the stored file, so
 * that it can be discarded if nothing references it.
 */
export const readUpload = (
  app: App,
  endpoint: Endpoint,
  request: HttpRequest,
  received: (file: ReceivedFile) => void,
): Effect.Effect<unknown, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const { fields, stored } = await readMultipart(request, {
        fields: Object.keys(endpoint.body?.shape ?? {}).filter((name) => name !== "file"),
        maxFileBytes: app.service.attachmentMaxBytes,
        store: ({ filename, contentType, stream }) =>
          Effect.runPromise(app.assets.receive({ filename: filename || null, contentType, bytes: stream })),
        discard: (file) => Effect.runPromise(app.assets.discard(file)),
      });
      received(stored);
      const { sha256, filename, contentType } = stored;
      // Leaves out the storage key, so that a repeated upload is the same request.
      Object.defineProperty(stored, "toJSON", { value: () => ({ sha256, filename, contentType }) });
      return { ...fields, file: stored };
    },
    catch: (error) => uploadRefusal(error, app.service.attachmentMaxBytes),
  });

const uploadRefusal = (error: unknown, maxBytes: number): Refusal => {
  const invalid = (part: string, message: string) =>
    new ValidationFailed([{ path: [part], code: "multipart", message }], message);
  if (error instanceof NotMultipart) return new NotAnUpload();
  if (error instanceof BlobsUnavailable) return error;
  if (error instanceof BodyTooLarge) return new FileTooLarge({ maxBytes });
  if (error instanceof RequestAborted) return new UploadBrokenOff();
  if (error instanceof FileMissing) return invalid("file", error.message);
  if (error instanceof UnexpectedPart) return invalid(error.part ?? "", error.message);
  if (error instanceof MalformedMultipart) return invalid("", error.message);
  throw error;
};
