import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { useAskAfterFailedTest } from "../../nouns/agents/ask-after-failed-test.tsx";
import {
  EnvironmentFindings,
  type EnvironmentTestState,
  useEnvironmentTest,
} from "../../nouns/agents/environment-test.tsx";
import { Button } from "../../widgets/button.tsx";
import { Form, TextArea, TextField } from "../../widgets/field.tsx";
import { RuntimeChoice } from "./runtime-choice.tsx";

type Company = AnswerOf<"companies.create">;
type Agent = AnswerOf<"agents.get">;

export const FirstIssue = ({ company, agent }: { readonly company: Company; readonly agent: Agent }) => {
  const [, go] = useLocation();
  const [title, setTitle] = useState("Say hello");
  const shown = (identifier: string) => go(`/${company.issuePrefix}/issues/${identifier}`);
  const [description, setDescription] = useState("Introduce yourself in a comment, then finish this issue.");
  const resume = useWrite("companies.resume");
  const create = useWrite("issues.create", {
    // A company of a template is paused until its first issue.
    onDone: ({ identifier }) =>
      company.status === "paused"
        ? void resume.runAndWait({ companyId: company.id }).then(
            () => shown(identifier),
            () => {},
          )
        : shown(identifier),
  });
  // A company of a template is paused until its first issue, and nobody has tested its agents.
  const isFromTemplate = company.status === "paused";
  const { id: agentId, adapterType, adapterConfig } = agent;
  const test = useEnvironmentTest({ companyId: company.id, adapterType, adapterConfig, agentId });
  const assigning = useAskAfterFailedTest(test, {
    title: `Assign to ${agent.name} anyway?`,
    verb: "Assign anyway",
    act: () =>
      create.run({ companyId: company.id, title, description, assigneeAgentId: agentId, status: "todo" }),
  });
  return (
    <>
      {isFromTemplate ? <TemplateTest key={adapterType} agent={agent} test={test} /> : null}
      <Form label="First issue" error={create.error ?? resume.error} onSubmit={assigning.act}>
        <TextField label="What should it do first?" name="title" required value={title} onChange={setTitle} />
        <TextArea
          label="Description"
          name="description"
          rows={4}
          value={description}
          onChange={setDescription}
        />
        <div className="form-actions">
          <Button type="submit" kind="main" busy={create.busy || test.busy}>
            Assign to {agent.name}
          </Button>
        </div>
      </Form>
      {assigning.dialog}
    </>
  );
};

/** Tests the agent at once; where that fails, offers what its company could run on instead. */
const TemplateTest = ({ agent, test }: { readonly agent: Agent; readonly test: EnvironmentTestState }) => {
  const { start } = useRef(test).current;
  useEffect(() => start(), [start]);
  return (
    <div className="stack">
      <EnvironmentFindings test={test} />
      {test.failed ? <RuntimeChoice agent={agent} /> : null}
    </div>
  );
};
