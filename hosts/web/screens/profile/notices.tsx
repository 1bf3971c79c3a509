import { useState } from "react";
import { noticeChannels } from "../../../../core/model/notices/notice-kind.ts";
import type { CompanyId } from "../../../../core/model/shared/ids.ts";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { CheckField, Form, Problem, TextField } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { channelLabels, NoticeKinds } from "./notice-kinds.tsx";

type Settings = AnswerOf<"session.showNotices">;

/** Which notices the person gets, by which channel, and when. */
export const Notices = () => {
  const settings = useRead("session.showNotices", {});
  return (
    <Section title="Notices">
      <p className="muted">
        You get a notice if something still waits for you after the delay and you haven't seen it here.
      </p>
      {settings.error === null ? null : <Problem error={settings.error} />}
      {settings.data === undefined ? null : <NoticeForm saved={settings.data} />}
      <TestNotices />
    </Section>
  );
};

/** Its fields are those of the settings that were read first: what others change meanwhile doesn't overwrite what is typed. */
const NoticeForm = ({ saved }: { readonly saved: Settings }) => {
  const say = useToasts();
  const [typed, setTyped] = useState(saved);
  const save = useWrite("session.saveNotices", { onDone: () => say.done("Notices saved") });
  const change = (fields: Partial<Settings>) => setTyped({ ...typed, ...fields });
  const { channels, companies, timeZone, quietHours, digestAt } = typed;
  const store = () => save.run({ channels, companies, timeZone, quietHours, digestAt });
  return (
    <Form label="Notices" error={save.error} onSubmit={store}>
      {noticeChannels.map((channel) => {
        const { kinds, graceSec } = channels[channel];
        const changeChannel = (fields: Partial<Settings["channels"]["push"]>) =>
          change({
            channels: { ...channels, [channel]: { ...channels[channel], ...fields } },
          });
        return (
          <div key={channel} className="form">
            <NoticeKinds
              channel={channel}
              kinds={kinds}
              onChange={(next) => changeChannel({ kinds: next })}
            />
            <TextField
              label={`${channelLabels[channel]} delay in seconds`}
              name={`channels.${channel}.graceSec`}
              type="number"
              required
              min={0}
              max={86_400}
              value={String(graceSec)}
              onChange={(text) => changeChannel({ graceSec: Number(text) })}
            />
          </div>
        );
      })}
      <OfCompanies typed={typed} change={change} />
      <Times typed={typed} change={change} />
      <div className="form-actions">
        <Button type="submit" busy={save.busy}>
          Save notices
        </Button>
      </div>
    </Form>
  );
};

interface Part {
  readonly typed: Settings;
  readonly change: (fields: Partial<Settings>) => void;
}

/** Companies with kinds of their own. */
const OfCompanies = ({ typed, change }: Part) => {
  const { data: all = [] } = useRead("companies.list", {});
  const { channels, companies } = typed;
  if (all.length < 2 && companies.length === 0) return null;
  return (
    <>
      {all.map(({ id, name }) => {
        const own = companies.find(({ companyId }) => companyId === id);
        const others = companies.filter((each) => each !== own);
        const first = {
          companyId: id as CompanyId,
          kinds: {
            push: channels.push.kinds,
            email: channels.email.kinds,
            chat: channels.chat.kinds,
          },
        };
        return (
          <div key={id} className="form">
            <CheckField
              label={`Different notices for ${name}`}
              name={`companies.${id}`}
              checked={own !== undefined}
              onChange={(isOwn) => change({ companies: isOwn ? [...others, first] : others })}
            />
            {own === undefined
              ? null
              : noticeChannels.map((channel) => (
                  <NoticeKinds
                    key={channel}
                    channel={channel}
                    of={name}
                    kinds={own.kinds[channel]}
                    onChange={(kinds) =>
                      change({
                        companies: [...others, { ...own, kinds: { ...own.kinds, [channel]: kinds } }],
                      })
                    }
                  />
                ))}
          </div>
        );
      })}
    </>
  );
};

const zones = Intl.supportedValuesOf("timeZone");
const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Quiet hours and the digest, in the person's time zone. */
const Times = ({ typed, change }: Part) => {
  const { quietHours, timeZone, digestAt } = typed;
  return (
    <>
      <TextField
        label="Time zone"
        name="timeZone"
        required
        list="time-zones"
        hint={timeZone === zoneHere ? undefined : `This browser is in ${zoneHere}.`}
        value={timeZone}
        onChange={(next) => change({ timeZone: next })}
      />
      <datalist id="time-zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <CheckField
        label="Quiet hours"
        name="quietHours"
        hint="Nothing is sent meanwhile. You get what still waits afterwards."
        checked={quietHours !== null}
        onChange={(isQuiet) => change({ quietHours: isQuiet ? { from: "22:00", to: "07:00" } : null })}
      />
      {quietHours === null ? null : (
        <>
          <TextField
            label="From"
            name="quietHours.from"
            type="time"
            required
            value={quietHours.from}
            onChange={(from) => change({ quietHours: { ...quietHours, from } })}
          />
          <TextField
            label="To"
            name="quietHours.to"
            type="time"
            required
            value={quietHours.to}
            onChange={(to) => change({ quietHours: { ...quietHours, to } })}
          />
        </>
      )}
      <TextField
        label="Daily digest at"
        name="digestAt"
        type="time"
        required
        value={digestAt}
        onChange={(next) => change({ digestAt: next })}
      />
    </>
  );
};

const TestNotices = () => {
  const say = useToasts();
  const test = useWrite("session.testNotice", {
    onDone: () => say.done("Test notice sent"),
    onRefused: say.refused,
  });
  return (
    <div className="form-actions">
      {noticeChannels.map((channel) => (
        <Button key={channel} busy={test.busy} onClick={() => test.run({ channel })}>
          {`Send a test notice by ${channelLabels[channel].toLowerCase()}`}
        </Button>
      ))}
    </div>
  );
};
