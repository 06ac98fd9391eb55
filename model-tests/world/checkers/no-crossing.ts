/** No answer crosses a conversation, an ask, a question or a tab. */
import { isError, type Showing, type Truth } from '../truth.ts';
import type { World } from '../world.ts';

export function noCrossing(world: World): string[] {
  const { truth } = world;
  return [...truth.showings.flatMap(crossings), ...strangers(truth)];
}

function crossings({ how, token, tab, conversation, ask, of, question }: Showing): string[] {
  const where = `${token} (${how})`;
  if (of === undefined) return [`${where} answers nothing that was asked`];
  const isOwn = ask === of;
  const isSame = ask?.question === of.question;
  const wrong: readonly (readonly [boolean, string])[] = [
    [of.tab !== tab, `was given on ${of.tab} and shown on ${tab}`],
    [of.conversation !== conversation, `is of conversation ${of.conversation}, shown to conversation ${conversation}`],
    [question !== null && question !== of.question, 'was shown with another question'],
    [(how === 'result' || how === 'ride') && !isOwn, `was given to ask ${ask?.number} and is of ${of.number}`],
    [how === 'recovered' && (isOwn || !isSame), `was recovered for ask ${ask?.number} from ask ${of.number}`],
  ];
  return wrong.flatMap(([isWrong, what]) => (isWrong ? [`${where} ${what}`] : []));
}

/** What is shown beside a pending question is of its tab. */
function strangers({ calls, asks }: Truth): string[] {
  return calls.flatMap(({ ask, endings }) => {
    const own = new Set(asks.filter(({ tab }) => tab === ask.tab).map(({ question }) => question));
    return endings.flatMap((ending) =>
      isError(ending) || ending.outcome !== 'pending'
        ? []
        : ending.others
            .filter(({ question }) => question !== null && !own.has(question))
            .map(({ question }) => `ask ${ask.number} was shown an answer to ${question}`),
    );
  });
}
