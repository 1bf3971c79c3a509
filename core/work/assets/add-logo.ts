import * as Effect from "effect/Effect";
import type { BlobStore } from "../../../ports/blob-store.ts";
import type { SvgInspector } from "../../../ports/svg-inspector.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import {
  FileEmpty,
  imageTypeOf,
  LogoTypeUnsupported,
  type ReceivedFile,
  UnsafeSvg,
} from "../../model/assets/asset.ts";
import { newAsset } from "../../model/assets/new-asset.ts";
import type { AssetId, CompanyId } from "../../model/shared/ids.ts";

export interface AddLogo {
  readonly id: AssetId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly file: ReceivedFile;
}

/** Creates an asset from an image, judged by its bytes and not by the client's content type. */
export const addLogo =
  (context: UseCaseContext, blobs: BlobStore, svgProblem: SvgInspector) => (command: AddLogo) =>
    Effect.gen(function* () {
      const { file, companyId, by } = command;
      if (file.byteSize === 0) yield* Effect.fail(new FileEmpty());
      const head = yield* blobs.get(file.blobKey, { start: 0, end: 64 });
      const contentType = imageTypeOf(head ?? new Uint8Array()) ?? (yield* svgOf(blobs, file, svgProblem));
      const at = context.clock.now();
      const asset = newAsset(
        { ...file, contentType },
        { id: command.id, companyId, purpose: "logo" },
        by,
        at,
      );
      yield* transact(context, "assets.addLogo", by, function* (unit) {
        yield* unit.files.takeIntoUse(file.blobKey);
        yield* unit.files.insertAsset(asset);
        yield* unit.log("asset.created", asset, { contentType, byteSize: asset.byteSize });
      });
      return asset;
    });

const svgOf = Effect.fnUntraced(function* (blobs: BlobStore, file: ReceivedFile, svgProblem: SvgInspector) {
  const resemblesSvg = file.contentType === "image/svg+xml" || /\.svg$/i.test(file.filename ?? "");
  if (!resemblesSvg) return yield* Effect.fail(new LogoTypeUnsupported({ contentType: file.contentType }));
  const bytes = yield* blobs.get(file.blobKey);
  const problem = svgProblem(textOf(bytes ?? new Uint8Array()));
  return problem === null
    ? "image/svg+xml"
    : yield* Effect.fail(new UnsafeSvg({ found: problem }, `The SVG was rejected: ${problem}.`));
});

/** Requires UTF-8: another encoding could be read differently from what was validated. */
const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes);
