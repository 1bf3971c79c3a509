import log from "../../../CHANGELOG.md";
import { Markdown } from "../nouns/markdown.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { changesSince } from "./changes-since.ts";

/** The changes since a version, by the change log of this one. */
export const ChangesDialog = ({ seen, onClose }: { readonly seen: string; readonly onClose: () => void }) => (
  <Dialog title="What changed" onClose={onClose} wide>
    {/* Below the title's level. */}
    <Markdown text={changesSince(log, seen).replace(/^#(?=# )/gm, "")} />
  </Dialog>
);
