import type { PriceStamp } from '../../domain/cost.ts';
import type { Engine } from '../../store/engine.ts';
import { enforceBook, isBookInForce, isPricedOtherwise } from '../../store/queries/usage/price-books.ts';

/**
 * The book by which sessions are priced anew, after those were taken for priced by it that cost the same in it; undefined
 * while the book of another device counts.
 */
export async function priceBookFor({
  engine,
  device,
  priceStamp,
}: {
  readonly engine: Engine;
  readonly device: { readonly id: string };
  readonly priceStamp: PriceStamp;
}): Promise<string | undefined> {
  if (!(await isBookInForce(engine.kysely, device.id, priceStamp))) return undefined;
  if (await isPricedOtherwise(engine.kysely, priceStamp.id)) await enforceBook(engine, device.id, priceStamp);
  return priceStamp.id;
}
