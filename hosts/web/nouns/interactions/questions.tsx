import type { AskUserQuestions, Question } from "../../../../core/model/issues/interactions/payload.ts";
import type { Interaction } from "../../live/records.ts";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, TextArea } from "../../widgets/field.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { HeldDecision, useFinalWrite } from "../final-writes.tsx";
import { Markdown } from "../markdown.tsx";
import { InteractionActions } from "./interaction-actions.tsx";

interface QuestionsProps {
  readonly interaction: Interaction;
  readonly payload: AskUserQuestions;
}

interface Answer {
  readonly optionIds: readonly string[];
  readonly otherText: string;
}

type Answers = Readonly<Record<string, Answer>>;

const none: Answer = { optionIds: [], otherText: "" };

/** Questions with options and words; afterwards, what was answered. */
export const Questions = ({ interaction, payload }: QuestionsProps) => {
  const mayWork = interaction.callerMay.respond.allowed;
  return interaction.status === "pending" && mayWork ? (
    <AnswerForm interaction={interaction} payload={payload} />
  ) : (
    <Given interaction={interaction} payload={payload} />
  );
};

const AnswerForm = ({ interaction, payload }: QuestionsProps) => {
  const [draft, setDraft] = useDraft(`answers to ${interaction.id}`);
  const given: Answers = draft === "" ? {} : (JSON.parse(draft) as Answers);
  const respond = useFinalWrite("interactions.respond", interaction.id, () => setDraft(""));
  const answers = payload.questions.flatMap(({ id }) => {
    const { optionIds, otherText } = given[id] ?? none;
    if (optionIds.length === 0 && otherText.trim() === "") return [];
    return [{ questionId: id, optionIds: [...optionIds], ...(otherText.trim() === "" ? {} : { otherText }) }];
  });
  const isAnswered = (id: string) => answers.some(({ questionId }) => questionId === id);
  const missing = payload.questions.filter(({ id, required }) => required === true && !isAnswered(id)).length;
  if (respond.waits !== null) return <HeldDecision subject={interaction.id} />;
  return (
    <Form
      label={payload.title ?? "Answer"}
      onSubmit={() =>
        respond.run(
          { issueId: interaction.issueId, interactionId: interaction.id, answers },
          `Answer sent: ${interaction.title ?? payload.title ?? "Questions"}`,
        )
      }
    >
      {payload.questions.map((question) => (
        <QuestionField
          key={question.id}
          name={`${interaction.id} ${question.id}`}
          question={question}
          answer={given[question.id] ?? none}
          onChange={(answer) => setDraft(JSON.stringify({ ...given, [question.id]: answer }))}
        />
      ))}
      <InteractionActions interaction={interaction} error={respond.error}>
        <KeyedButton
          type="submit"
          kind="main"
          action="approve"
          disabled={answers.length === 0 || missing > 0}
        >
          {payload.submitLabel ?? "Answer"}
        </KeyedButton>
      </InteractionActions>
    </Form>
  );
};

interface QuestionFieldProps {
  readonly name: string;
  readonly question: Question;
  readonly answer: Answer;
  readonly onChange: (answer: Answer) => void;
}

const QuestionField = ({ name, question, answer, onChange }: QuestionFieldProps) => {
  const { prompt, helpText, selectionMode, required = false, allowOther = false, options } = question;
  const isSingle = selectionMode === "single";
  const explains = options.some(({ id, freeText }) => freeText === true && answer.optionIds.includes(id));
  const choose = (id: string, isChosen: boolean) => {
    const optionIds = isSingle
      ? [id]
      : isChosen
        ? [...answer.optionIds, id]
        : answer.optionIds.filter((each) => each !== id);
    const stillExplains = options.some((each) => each.freeText === true && optionIds.includes(each.id));
    // Of one answer, an option takes the place of words.
    const keepsText = stillExplains || (allowOther && !isSingle);
    onChange({ optionIds, otherText: keepsText ? answer.otherText : "" });
  };
  return (
    <fieldset className="card-question">
      <legend className="card-text">
        <Markdown isPart text={prompt} /> {required ? null : <span className="faint">(optional)</span>}
      </legend>
      {helpText === undefined ? null : (
        <div className="muted">
          <Markdown isPart text={helpText} />
        </div>
      )}
      {options.map(({ id, label, description }) => (
        <label key={id} className="check">
          <input
            type={isSingle ? "radio" : "checkbox"}
            name={name}
            checked={answer.optionIds.includes(id)}
            onChange={(event) => choose(id, event.target.checked)}
          />
          <span>
            <Markdown isPart text={label} />
            {description === undefined ? null : (
              <span className="field-hint">
                <Markdown isPart text={description} />
              </span>
            )}
          </span>
        </label>
      ))}
      {allowOther || explains ? (
        <TextArea
          label={explains ? "Add details" : "Or answer in your own words"}
          name={`${name} other`}
          rows={1}
          value={answer.otherText}
          onChange={(otherText) =>
            onChange({
              optionIds: isSingle && !explains && otherText.trim() !== "" ? [] : answer.optionIds,
              otherText,
            })
          }
        />
      ) : null}
    </fieldset>
  );
};

interface GivenAnswer {
  readonly questionId: string;
  readonly optionIds?: readonly string[];
  readonly otherText?: string;
}

const Given = ({ interaction, payload }: QuestionsProps) => {
  const answers = (interaction.result?.answers ?? []) as readonly GivenAnswer[];
  const answerTo = ({ id, options }: Question): string => {
    const { optionIds = [], otherText } = answers.find(({ questionId }) => questionId === id) ?? {};
    const chosen = options.filter((option) => optionIds.includes(option.id)).map(({ label }) => label);
    return [...chosen, ...(otherText === undefined ? [] : [otherText])].join(", ");
  };
  return (
    <>
      <dl className="card-answers">
        {payload.questions.map((question) => (
          <div key={question.id}>
            <dt className="muted">
              <Markdown isPart text={question.prompt} />
            </dt>
            {interaction.status === "answered" ? (
              <dd className="card-text">
                {answerTo(question) === "" ? (
                  <span className="faint">Not answered</span>
                ) : (
                  <Markdown isPart text={answerTo(question)} />
                )}
              </dd>
            ) : null}
          </div>
        ))}
      </dl>
      {interaction.status === "pending" ? (
        <InteractionActions interaction={interaction} error={null}>
          {null}
        </InteractionActions>
      ) : null}
    </>
  );
};
