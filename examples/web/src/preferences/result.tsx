import { type Column, DataTable } from '../design/data/data-table.tsx';
import { Notice } from '../design/notice.tsx';
import { Tag } from '../design/tag.tsx';
import { useTexts } from '../texts/texts.tsx';
import { channels, type Choice, isSent, type PreferenceName, topics } from './choices.ts';

/** Which topic the member gets by which channel, as chosen on the page. */
export const Result = ({ choiceOf }: { readonly choiceOf: (name: PreferenceName) => Choice }) => {
  const { names, result: texts } = useTexts().preferences;
  const isOff = (name: PreferenceName) => choiceOf(name) === false;
  return (
    <div className="result">
      <h3>{texts.title}</h3>
      <p className="fine">{texts.rule}</p>
      <DataTable
        caption={texts.title}
        columns={columnsOf(choiceOf, texts.topic, names)}
        rows={topics}
        keyOf={(topic) => topic}
      />
      <div role="status">
        {channels.every(isOff) ? <Notice tone="warn">{texts.noChannel}</Notice> : null}
        {topics.every(isOff) && !channels.every(isOff) ? <Notice tone="warn">{texts.noTopic}</Notice> : null}
      </div>
    </div>
  );
};

const columnsOf = (
  choiceOf: (name: PreferenceName) => Choice,
  title: string,
  names: Readonly<Record<PreferenceName, string>>,
): readonly Column<PreferenceName>[] => [
  { title, cell: (topic) => names[topic] },
  ...channels.map((channel) => ({
    title: names[channel],
    cell: (topic: PreferenceName) => <Sent isSent={isSent(choiceOf(topic), choiceOf(channel))} />,
  })),
];

const Sent = ({ isSent }: { readonly isSent: Choice }) => {
  const texts = useTexts().preferences.result;
  if (isSent === undefined) return <span className="fine">{texts.notChosen}</span>;
  return isSent ? <Tag tone="good">{texts.yes}</Tag> : <Tag>{texts.no}</Tag>;
};
