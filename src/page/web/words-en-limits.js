// In English: what players allow themselves.

export const words = {
  'limits.title': 'Your limits',
  'limits.intro':
    'What you set here stands on the public log. A house that lets you past it is found out by everyone who has ' +
    'the log.',
  'limits.none': 'You have set no limit.',
  'limits.time': '{hours} h {minutes} min',
  'limits.says_deposit': 'At most {most} paid in {per}.',
  'limits.says_loss': 'At most {most} lost {per}.',
  'limits.says_play_time': 'At most {most} of play {per}.',
  'limits.per_day': 'a day',
  'limits.per_week': 'a week',
  'limits.per_month': 'in 30 days',
  'limits.count_deposit': 'So far: {amount} paid in.',
  'limits.count_loss': 'So far: {amount} lost.',
  'limits.count_play_time': 'So far: {amount} played.',
  'limits.ahead': 'So far: {amount} ahead.',
  'limits.until': 'This period ends on {until}.',
  'limits.waits_more': 'From {from} on: {most}.',
  'limits.waits_none': 'It ends on {from}.',
  'limits.keep': 'Keep the limit',
  'limits.take_back': 'Take it back',
  'limits.set_title': 'Set a limit',
  'limits.of': 'Of what',
  'limits.of_deposit': 'What is paid in',
  'limits.of_loss': 'What I lose',
  'limits.of_play_time': 'How long I play',
  'limits.per': 'For how long',
  'limits.a_day': 'A day',
  'limits.a_week': 'A week',
  'limits.a_month': '30 days',
  'limits.amount': 'At most',
  'limits.hours': 'Hours',
  'limits.minutes': 'Minutes',
  'limits.set_says': 'Less than before holds at once. More than before, or no limit, waits for a day.',
  'limits.set': 'Set the limit',
  'limits.is_set': 'The limit holds from now on.',
  'limits.is_set_later': 'That waits for a day: it holds from {from} on. Until then the limit stays as it is.',
  'limits.sure_back':
    'Take this limit back? {what} It stays for a day more; until then you can keep it.',
  'limits.out_title': 'Shut me out',
  'limits.out_says':
    'Until then you begin nothing here, and nothing is paid in. Nobody can shorten it: not you, and not the ' +
    'operator. What has begun is played to its end, and your chips can be paid out.',
  'limits.how_long': 'For how long',
  'limits.days': '{count} day(s)',
  'limits.named_day': 'Until a day that I name',
  'limits.until_when': 'Until',
  'limits.out': 'Shut me out',
  'limits.sure_out': 'Shut yourself out until {until}? Nobody can take that back.',
  'limits.is_out': 'You have shut yourself out until {until}.',
  'limits.signed':
    'Your commands are signed with a key that this page does not have. Change your limits with the program that ' +
    'has it.',
  'limits.so_already': 'It is so already.',
};
