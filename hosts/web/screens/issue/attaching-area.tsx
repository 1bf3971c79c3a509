import { type RefObject, useRef, useState } from "react";
import { takesWork } from "../../../../core/model/agents/takes-work.ts";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { MentionArea } from "../../nouns/issues/mention-area.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { useMentionable, useMentionablePeople } from "./comment-references.ts";
import { useIssueMay } from "./issue-shown.ts";

interface AttachingAreaProps {
  readonly issue: Issue;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Where a comment is typed: files that are pasted, dropped or chosen are attached to the issue and named in the text. */
export const AttachingArea = ({ issue, value, onChange }: AttachingAreaProps) => {
  const agents = useMentionable(issue.companyId).filter(({ status }) => takesWork(status));
  const people = useMentionablePeople(issue.companyId);
  const mayAttach = useIssueMay("attach").allowed;
  const box = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const { attach, uploading, refusal } = useAttach(issue, box, onChange);
  return (
    <div ref={box} className="stack">
      <MentionArea
        label="Comment"
        bare
        mentionable={[
          ...agents.map(({ id, name }) => ({ id, name, kind: "agent" as const })),
          ...people.map(({ id, name }) => ({ id, name, kind: "person" as const })),
        ]}
        name="body"
        required
        placeholder="Write a comment. Mention an agent or a person with @ to notify them."
        value={value}
        onChange={onChange}
        onPaste={(event) => {
          // A table or a page brings its picture next to its text.
          if (!mayAttach || event.clipboardData.types.includes("text/plain")) return;
          const files = [...event.clipboardData.files];
          if (files.length === 0) return;
          event.preventDefault();
          void attach(files);
        }}
        onDragOver={(event) => {
          if (mayAttach && event.dataTransfer.types.includes("Files")) event.preventDefault();
        }}
        onDrop={(event) => {
          if (!mayAttach || event.dataTransfer.files.length === 0) return;
          event.preventDefault();
          void attach([...event.dataTransfer.files]);
        }}
      />
      {mayAttach ? (
        <div className="row-wrap">
          <Button
            small
            kind="quiet"
            icon="paperclip"
            busy={uploading !== null}
            onClick={() => picker.current?.click()}
          >
            {uploading === null ? "Add a file or picture" : `Uploading ${uploading}`}
          </Button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label="Files for the comment"
            onChange={({ target }) => {
              const files = [...(target.files ?? [])];
              // The same file can be chosen again.
              target.value = "";
              void attach(files);
            }}
          />
        </div>
      ) : null}
      {refusal === null ? null : <Problem error={refusal} />}
    </div>
  );
};

const useAttach = (issue: Issue, box: RefObject<HTMLElement | null>, onChange: (text: string) => void) => {
  const [uploading, setUploading] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const add = useWrite("attachments.add");
  const attach = async (files: readonly File[]) => {
    setRefusal(null);
    try {
      for (const file of files) {
        setUploading(file.name);
        const attached = await add.runAndWait({ companyId: issue.companyId, issueId: issue.id, file });
        const area = box.current?.querySelector("textarea");
        if (!area) return;
        // At the caret, which may have moved meanwhile.
        area.setRangeText(`${referenceTo(attached)}\n`, area.selectionStart, area.selectionEnd, "end");
        onChange(area.value);
      }
    } catch (error) {
      setRefusal(error);
    } finally {
      setUploading(null);
    }
  };
  return { attach, uploading, refusal };
};

/** A file of the issue in Markdown; a picture is shown. */
const referenceTo = ({ originalFilename, contentType, openPath }: AnswerOf<"attachments.add">): string => {
  const name = (originalFilename ?? "file").replace(/[[\]\\`*_<>]/g, " ");
  return `${contentType.startsWith("image/") ? "!" : ""}[${name}](${openPath})`;
};
