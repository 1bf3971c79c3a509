import { Combobox } from "../../widgets/combobox.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { useIssueOptions } from "./issue-options.ts";

interface PartOfDialogProps {
  readonly title: string;
  /** The label of the choice of none; null: it is not offered. */
  readonly none: string | null;
  readonly without: readonly string[];
  readonly onChoose: (parentId: string | null) => void;
  readonly onClose: () => void;
}

const noIssue = "none";

/** Chooses the issue that others are part of, found by its words. */
export const PartOfDialog = ({ title, none, without, onChoose, onClose }: PartOfDialogProps) => {
  const { options, onType } = useIssueOptions(without);
  return (
    <Dialog title={title} onClose={onClose}>
      <div>
        <Combobox
          label="Parent issue"
          opens
          options={[...(none === null ? [] : [{ value: noIssue, label: none }]), ...options]}
          value={null}
          onType={onType}
          onChange={(id) => {
            onClose();
            if (id !== null) onChoose(id === noIssue ? null : id);
          }}
          onLeave={onClose}
        />
      </div>
    </Dialog>
  );
};
