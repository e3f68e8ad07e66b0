// In English: the player's own key.

export const words = {
  'key.title': 'Your key',
  'key.intro':
    'Your browser makes a key with your first bet or seat. It signs each of your choices, and the log holds the ' +
    'signature beside the choice.',
  'key.signs': 'Your key signs your choices: nobody else, not even the house, can bet, choose or pay out in your name.',
  'key.save_says':
    'It is in this browser alone. Save it to a file and keep the file: you need it on another device, and after this ' +
    'browser is cleared. Whoever has the file can sign as you.',
  'key.save': 'Save the key',
  'key.is_saved': 'The file is saved. Keep it where nobody else reads it.',
  'key.none': 'You have no key yet.',
  'key.trusts':
    'Without one you trust the house with everything that is done in your name: which bets and choices were yours, ' +
    'that a seed was yours, and that you asked for a payment.',
  'key.make': 'Make a key now',
  'key.is_made': 'From now on your key signs your choices. Save it now.',
  'key.elsewhere':
    'You sign with a key that this browser does not have. Nothing that you do here is accepted until it is here.',
  'key.open': 'Open a saved key',
  'key.is_back': 'The key is here.',
  'key.lost_says':
    'Is it lost? Then make another one, and give the house its text, by the way that you know them. The house names ' +
    'it with a reason, which stands on the log, and it signs a day later: so nobody takes your place unseen.',
  'key.another': 'Make another key',
  'key.tell': 'Give this text to the house, and come back with this browser a day later:',
  'key.waits_own': 'The key that you made here signs from {from} on.',
  'key.waits_file': 'The house named another key, which is in force from {from} on. Have you its file? Open it here.',
  'key.waits_other':
    'The house named another key for you, which replaces yours at {from}. Did you not ask for it? Then replace your ' +
    'key now: that takes theirs back. Tell the auditors, too.',
  'key.replace': 'Replace my key',
  'key.is_replaced': 'Another key of yours signs from now on. Save it: the old file opens nothing any more.',
  'key.pay': 'Chips paid out at the desk',
  'key.pay_says':
    'Without a signature of yours the house pays out no chips of yours. Sign what you want, give the text to the ' +
    'house, and do nothing else here until it has paid: your next bet or seat would make it void.',
  'key.amount': 'Chips',
  'key.reference': 'Reference, where the house names one',
  'key.sign': 'Sign it',
  'key.pay_tell': 'Give this text to the house:',
  'key.shown': 'Its public half, which stands on the log',
};
