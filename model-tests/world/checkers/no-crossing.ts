/** No answer crosses a conversation, an ask, a question or a tab. */
import { isError } from '../truth.ts';
import type { World } from '../world.ts';

export function noCrossing(world: World): string[] {
  const faults: string[] = [];
  const { showings, calls } = world.truth;
  for (const { how, token, tab, conversation, ask, of, question } of showings) {
    const where = `${token} (${how})`;
    if (of === undefined) {
      faults.push(`${where} answers nothing that was asked`);
      continue;
    }
    if (of.tab !== tab) faults.push(`${where} was given on ${of.tab} and shown on ${tab}`);
    if (of.conversation !== conversation) {
      faults.push(`${where} is of conversation ${of.conversation} and was shown to conversation ${conversation}`);
    }
    if (question !== null && question !== of.question) faults.push(`${where} was shown with another question`);
    if ((how === 'result' || how === 'ride') && ask !== of) faults.push(`${where} was given to ask ${ask?.number} and is of ${of.number}`);
    if (how === 'recovered' && (ask === of || ask?.question !== of.question)) {
      faults.push(`${where} was recovered for ask ${ask?.number} from ask ${of.number}`);
    }
  }
  for (const { ask, endings } of calls) {
    for (const ending of endings) {
      if (isError(ending) || ending.outcome !== 'pending') continue;
      for (const other of ending.others) {
        if (!world.truth.asks.some(({ tab, question }) => tab === ask.tab && question === other.question)) {
          faults.push(`ask ${ask.number} was shown an answer to ${other.question}`);
        }
      }
    }
  }
  return faults;
}
