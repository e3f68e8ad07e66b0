// Players, their keys, and chips that the operator pays in and out: spec/entries.md, spec/ledger.md.

extendHouse({
  create_player({ player, key }) {
    this.only('operator');
    need(!isGuest(player), 'malformed', 'the name is that of a guest');
    need(!this.players.has(player), 'player_exists');
    need(key === undefined || ed25519.usable(unhex(key, 32)), 'key_refused');
    this.players.add(player);
    this.accounts.set(`player:${player}`, 0);
    this.say('player_created', { player });
    if (key !== undefined) this.setKey(player, key);
  },

  set_key({ player, key, reason }, who) {
    need(this.by === 'operator' || (who && who === player), 'not_allowed');
    need((this.by === 'operator') === (reason !== undefined), 'malformed');
    need(this.stated || this.players.has(player), 'unknown_player');
    need(key === undefined || ed25519.usable(unhex(key, 32)), 'key_refused');
    const waiting = this.waitingKeys.get(player);
    need(this.stated || (waiting && who) || key !== (waiting ? waiting.key : this.keys.get(player)), 'nothing_to_do');
    if (who) this.setKey(player, key); else this.letKeyWait(player, key);
  },

  useKey(player, key) {
    this.waitingKeys.delete(player);
    if (key === undefined) this.keys.delete(player); else this.keys.set(player, key);
  },

  setKey(player, key) {
    this.useKey(player, key);
    this.say('key_set', { player, ...(key === undefined ? {} : { key }) });
  },

  /** The operator's change waits a day. For the key in force until then, a bundle trusts the log. */
  letKeyWait(player, key) {
    const claimed = this.stated && this.claim('key_set');
    if (claimed) this.useKey(player, claimed.old && ed25519.usable(unhex(claimed.old, 32)) ? claimed.old : undefined);
    const from = this.time + DAY_MS, old = this.keys.get(player);
    this.waitingKeys.set(player, { key, from });
    this.say('key_set', { player, ...(key === undefined ? {} : { key }), from, ...(old === undefined ? {} : { old }) });
  },

  issue_token({ holder, revoke }, who) {
    need(this.by === 'operator' || (who && this.players.has(who) && holder === `player:${who}`), 'not_allowed');
    need(holder.startsWith('auditor:') || this.players.has(holder.slice(7)), 'unknown_player');
    this.say('token_issued', { holder, revoked: revoke });
  },

  credit({ player, amount }) {
    this.only('operator');
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
    need(
      amount >= 1 && this.balance(player) + amount <= HALF && this.accounts.get('cage') - amount >= -MAX_AMOUNT,
      'amount_out_of_range',
    );
    this.post(['cage', -amount], [`player:${player}`, amount]);
  },

  takeFrom(player, amount) {
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
    need(amount >= 1, 'amount_out_of_range');
    need(this.balance(player) >= amount, 'insufficient_balance');
  },

  /** spec/entries.md, "Withdrawals". */
  withdraw({ player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.keys.has(who)), 'not_allowed');
    need(who || (!this.keys.has(player) && !this.waitingKeys.has(player)), 'signature_missing');
    this.takeFrom(player, amount);
    need(this.accounts.get('cage') + amount <= MAX_AMOUNT, 'amount_out_of_range');
    this.post(['cage', amount], [`player:${player}`, -amount]);
  },

  correct({ player, amount }) {
    this.only('operator');
    this.takeFrom(player, amount);
    need(this.accounts.get('house') + amount <= MAX_AMOUNT, 'amount_out_of_range');
    this.post([`player:${player}`, -amount], ['house', amount]);
  },
});
