import { type ReactNode, useId } from "react";

interface SectionProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** One subject of the settings. */
export const Section = ({ title, action, children }: SectionProps) => {
  const id = useId();
  return (
    <section className="settings-section" aria-labelledby={id}>
      <header className="settings-head">
        <h2 id={id} className="grow">
          {title}
        </h2>
        {action}
      </header>
      {children}
    </section>
  );
};
