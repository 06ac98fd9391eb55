/** Every part, with all its defects. */
import { channel as brokenChannel } from './channel.mjs';
import { journal as brokenJournal } from './journal.mjs';
import { lineage as brokenLineage } from './lineage.mjs';
import { requests as brokenRequests } from './requests.mjs';
import { store as brokenStore } from './store.mjs';
import { tools as brokenTools } from './tools.mjs';

export const [journal, store, channel] = [brokenJournal, brokenStore, brokenChannel];
export const [requests, tools, lineage] = [brokenRequests, brokenTools, brokenLineage];
