import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { TextArea } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Wakes an agent with words for its prompt, about no issue. */
export const WakeDialog = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const say = useToasts();
  const [message, setMessage] = useState("");
  const wake = useWrite("agents.invoke", {
    onDone: () => {
      onClose();
      say.done(`${agent.name} woken`);
    },
  });
  return (
    <FormDialog
      title={`Wake ${agent.name} with a message`}
      verb="Wake"
      write={wake}
      onSubmit={() => wake.run({ agentId: agent.id, message })}
      onClose={onClose}
    >
      <TextArea
        label="Message"
        name="message"
        required
        rows={4}
        hint="Included in the prompt of the next run. For work, create an issue instead."
        value={message}
        onChange={setMessage}
      />
    </FormDialog>
  );
};
