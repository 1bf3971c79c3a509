import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import { sessionKey, useSession } from "../../live/session.ts";
import { Button } from "../../widgets/button.tsx";
import { Form, TextField } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** The name by which others see the person, and what the person may do where. */
export const OwnName = () => {
  const { name, admin, companies } = useSession();
  const say = useToasts();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(name);
  const { data: all = [] } = useRead("companies.list", {});
  const save = useWrite("session.update", {
    onDone: (user) => {
      void queries.invalidateQueries({ queryKey: sessionKey });
      setTyped(user.name);
      say.done(`Name changed to ${user.name}`, () => save.run({ name }));
    },
  });
  return (
    <Section title="You">
      <Form label="Your name" error={save.error} onSubmit={() => save.run({ name: typed })}>
        <TextField
          label="Name"
          name="name"
          required
          maxLength={500}
          hint="Shown on your comments and decisions."
          value={typed}
          onChange={setTyped}
        />
        <div className="form-actions">
          <Button type="submit" busy={save.busy} disabled={typed.trim() === name}>
            Save
          </Button>
        </div>
      </Form>
      <p className="muted">
        {admin
          ? "You're an instance admin with full access."
          : companies
              .map(
                ({ companyId, role }) =>
                  `${all.find(({ id }) => id === companyId)?.name ?? "A company"}: ${role}`,
              )
              .join(" · ")}
      </p>
    </Section>
  );
};
