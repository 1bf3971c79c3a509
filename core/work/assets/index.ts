import type { BlobStore } from "../../../ports/blob-store.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { SvgInspector } from "../../../ports/svg-inspector.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { addLogo } from "./add-logo.ts";
import { discardFile } from "./discard-file.ts";
import { openFile } from "./open-file.ts";
import { receiveFile } from "./receive-file.ts";
import { sweepFiles } from "./sweep-files.ts";

/** The use cases of files. */
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
  open: openFile(blobs),
});

export type Assets = ReturnType<typeof assets>;
