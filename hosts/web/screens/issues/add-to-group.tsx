import type { IssueChoice } from "../../nouns/issues/issue-fields.tsx";
import { IconButton } from "../../widgets/button.tsx";

interface AddToGroupProps {
  readonly label: string;
  readonly choice: IssueChoice | null;
  readonly onAdd: ((choice: IssueChoice) => void) | null;
}

/** Makes an issue with the value of its group; nothing where a new issue cannot have it. */
export const AddToGroup = ({ label, choice, onAdd }: AddToGroupProps) =>
  onAdd === null || choice === null || choice.onlyLater === true ? null : (
    <IconButton icon="plus" small label={`Create issue: ${label}`} onClick={() => onAdd(choice)} />
  );
