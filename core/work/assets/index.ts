import type { BlobStore } from "../../../ports/blob-store.ts";
import type { SvgInspector } from "../../../ports/svg-inspector.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { addLogo } from "./add-logo.ts";
import { discardFile } from "./discard-file.ts";
import { openFile } from "./open-file.ts";
import { receiveFile } from "./receive-file.ts";
import { sweepFiles } from "./sweep-files.ts";

/** The use cases of files. */
export const assets = (context: UseCaseContext, blobs: BlobStore, svgProblem: SvgInspector) => ({
  receive: receiveFile(context, blobs),
  discard: discardFile(context, blobs),
  sweep: sweepFiles(context, blobs),
  addLogo: addLogo(context, blobs, svgProblem),
  open: openFile(blobs),
});

export type Assets = ReturnType<typeof assets>;
