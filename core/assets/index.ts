import * as Effect from "effect/Effect";
import type { BlobStore, BlobsUnavailable, ByteRange } from "../../ports/blob-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SvgInspector } from "../../ports/svg-inspector.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import type { AssetId, CompanyId } from "../shared/ids.ts";
import { addSeconds } from "../shared/instant.ts";
import {
  type Asset,
  FileEmpty,
  imageTypeOf,
  LogoTypeUnsupported,
  type ReceivedFile,
  UnsafeSvg,
} from "./asset.ts";
import { newAsset } from "./new-asset.ts";

export interface IncomingFile {
  readonly filename: string | null;
  readonly contentType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** How long an upload may take before its bytes count as left behind; far longer than a request lives. */
const uploadSec = 60 * 60;
const sweepBatch = 100;

/** Stores a file as it arrives. Until a transaction takes it into use it is loose, and will be swept away. */
const receiveFile =
  (transactor: Transactor, clock: Clock, ids: Ids, blobs: BlobStore) =>
  ({ bytes, ...file }: IncomingFile): Effect.Effect<ReceivedFile, BlobsUnavailable> =>
    Effect.gen(function* () {
      const at = clock.now();
      const blobKey = `files/${at.slice(0, 10).replaceAll("-", "/")}/${ids.next<"blob">()}`;
      yield* transactor.transact(({ files }) => files.addLoose(blobKey, addSeconds(at, uploadSec)));
      const stored = yield* blobs.putStream(blobKey, bytes);
      return { ...file, ...stored, blobKey, provider: blobs.provider };
    });

/** Deletes the file's bytes, unless something has taken it into use. What cannot be deleted now is swept away later. */
const discardFile =
  (transactor: Transactor, blobs: BlobStore) =>
  ({ blobKey }: Pick<ReceivedFile, "blobKey">): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (!(yield* transactor.transact(({ files }) => files.giveUp(blobKey)))) return;
      yield* blobs.delete(blobKey);
      yield* transactor.transact(({ files }) => files.forgetLoose([blobKey]));
    }).pipe(Effect.catch(() => Effect.void));

/** Deletes what belongs to nothing: broken uploads, refused ones, deleted files. */
const sweepFiles =
  (transactor: Transactor, clock: Clock, blobs: BlobStore) => (): Effect.Effect<void, BlobsUnavailable> =>
    Effect.gen(function* () {
      const at = clock.now();
      for (;;) {
        const due = yield* transactor.transact(({ files }) => files.giveUpDue(at, sweepBatch));
        yield* Effect.forEach(due, (blobKey) => blobs.delete(blobKey), { concurrency: 8, discard: true });
        if (due.length > 0) yield* transactor.transact(({ files }) => files.forgetLoose(due));
        if (due.length < sweepBatch) break;
      }
      yield* blobs.tidy(addSeconds(at, -uploadSec));
    });

export interface AddLogo {
  readonly id: AssetId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly file: ReceivedFile;
}

/** Makes an asset of an image, going by its bytes and not by what the client calls it. */
const addLogo =
  (transactor: Transactor, clock: Clock, blobs: BlobStore, svgProblem: SvgInspector) => (command: AddLogo) =>
    Effect.gen(function* () {
      const { file, companyId, by } = command;
      if (file.byteSize === 0) yield* Effect.fail(new FileEmpty());
      const head = yield* blobs.get(file.blobKey, { start: 0, end: 64 });
      const contentType = imageTypeOf(head ?? new Uint8Array()) ?? (yield* svgOf(blobs, file, svgProblem));
      const at = clock.now();
      const asset = newAsset({ ...file, contentType }, "logo", command.id, companyId, by, at);
      yield* transactor.transact((stores) =>
        Effect.gen(function* () {
          yield* stores.files.takeIntoUse(file.blobKey);
          yield* stores.files.insertAsset(asset);
          yield* stores.activity.append({
            companyId,
            by,
            at,
            action: "asset.created",
            entityId: asset.id,
            details: { contentType, byteSize: asset.byteSize },
          });
        }),
      );
      return asset;
    });

const svgOf = Effect.fnUntraced(function* (blobs: BlobStore, file: ReceivedFile, svgProblem: SvgInspector) {
  const looksLikeSvg = file.contentType === "image/svg+xml" || /\.svg$/i.test(file.filename ?? "");
  if (!looksLikeSvg) return yield* Effect.fail(new LogoTypeUnsupported({ contentType: file.contentType }));
  const bytes = yield* blobs.get(file.blobKey);
  const problem = svgProblem(textOf(bytes ?? new Uint8Array()));
  return problem === null
    ? "image/svg+xml"
    : yield* Effect.fail(new UnsafeSvg({ found: problem }, `The SVG is refused: ${problem}.`));
});

/** UTF-8 alone: another encoding could be read as something else than was looked at. */
const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes);

/** Everything that can be done to files as such. */
export const assets = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  blobs: BlobStore,
  svgProblem: SvgInspector,
) => ({
  receive: receiveFile(transactor, clock, ids, blobs),
  discard: discardFile(transactor, blobs),
  sweep: sweepFiles(transactor, clock, blobs),
  addLogo: addLogo(transactor, clock, blobs, svgProblem),
  /** null where the bytes are gone. */
  open: ({ blobKey }: Pick<Asset, "blobKey">, range?: ByteRange) => blobs.getStream(blobKey, range),
});

export type Assets = ReturnType<typeof assets>;
