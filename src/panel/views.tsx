import type { ComponentType } from 'preact';
import { ApprovalCard } from './approval-card.tsx';
import { ClarifyCard } from './clarify-card.tsx';
import type { CardProps } from './frame.tsx';
import { SecretCard } from './secret-card.tsx';
import { ConsentCard, SetupCard } from './setup-card.tsx';

const VIEWS: Readonly<Record<string, ComponentType<CardProps>>> = {
  approval: ApprovalCard,
  clarify: ClarifyCard,
  setup_choose: SetupCard,
  'mcp.setup': ConsentCard,
};

/** The card of an open request; whatever is a secret has one form. */
export function RequestCard({ card, desk }: CardProps) {
  const View = VIEWS[card.method] ?? SecretCard;
  return <View card={card} desk={desk} />;
}
