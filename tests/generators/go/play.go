// One hand of each game with the client that openapi-generator makes of openapi.yaml for Go, against a running service.
//
// Usage: play URL OPERATOR_TOKEN
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	fairshoe "fairshoe.example/client"
)

// The rules of a table, how many sit at it, the game that it shows, where a bet is placed.
var hands = []struct {
	rules string
	count int
	game  string
	spot  string
}{
	{"joy", 1, "*fairshoe.BlackjackView", "1"},
	{"rng-baccarat", 1, "*fairshoe.BaccaratView", "player"},
	{"rng-roulette", 1, "*fairshoe.RouletteView", "red"},
	{"safe", 2, "*fairshoe.SafeView", ""},
	{"holdem", 2, "*fairshoe.PokerView", ""},
	{"omaha", 2, "*fairshoe.PokerView", ""},
}

const patience = 60 * time.Second

// What ends a hand soonest comes first.
var quiet = []string{"stand", "check", "call", "show", "muck", "accept", "pass", "fold"}

func must(err error) {
	if err == nil {
		return
	}
	if told, ok := err.(*fairshoe.GenericOpenAPIError); ok {
		panic(fmt.Sprintf("%v: %s", err, told.Body()))
	}
	panic(err)
}

// Every entry of a reply is read as what it is.
func checkEntries(accepted *fairshoe.Accepted, err error) *fairshoe.Accepted {
	must(err)
	for _, receipt := range accepted.Receipts {
		var entry fairshoe.Entry
		must(json.Unmarshal([]byte(receipt.Entry), &entry))
		if entry.Command.GetActualInstance() == nil {
			panic("no command: " + receipt.Entry)
		}
	}
	return accepted
}

type seedOf struct {
	table  string
	number int64
}

type player struct {
	name  string
	api   *fairshoe.APIClient
	as    context.Context
	seeds map[seedOf][]byte
}

func holder(token string) context.Context {
	return context.WithValue(context.Background(), fairshoe.ContextAccessToken, token)
}

func newPlayer(api *fairshoe.APIClient, operator context.Context, name string) *player {
	made, _, err := api.PlayersAPI.CreatePlayer(operator).NewPlayer(*fairshoe.NewNewPlayer(name)).Execute()
	checkEntries(made, err)
	credit := api.PlayersAPI.CreditPlayer(operator, name).IdempotencyKey("credit-" + name)
	given, _, err := credit.Movement(*fairshoe.NewMovement(1000000)).Execute()
	checkEntries(given, err)
	return &player{name, api, holder(made.GetToken()), map[seedOf][]byte{}}
}

// The commitment to a client seed (spec/fairness.md, "Client seed").
func (own *player) commitment(view *fairshoe.TableView, number int64) string {
	id := seedOf{view.Table, number}
	if own.seeds[id] == nil {
		own.seeds[id] = make([]byte, 32)
		_, err := rand.Read(own.seeds[id])
		must(err)
	}
	var bound bytes.Buffer
	linesUp := func(text string) {
		must(binary.Write(&bound, binary.BigEndian, uint16(len(text))))
		bound.WriteString(text)
	}
	bound.WriteString("fairshoe/v1/client-seed\x00")
	linesUp(view.Origin)
	linesUp(view.Table)
	epoch, err := hex.DecodeString(view.Epoch)
	must(err)
	bound.Write(epoch)
	must(binary.Write(&bound, binary.BigEndian, uint64(number)))
	linesUp(own.name)
	bound.Write(own.seeds[id])
	hash := sha256.Sum256(bound.Bytes())
	return hex.EncodeToString(hash[:])
}

func (own *player) view(table string) *fairshoe.TableView {
	view, _, err := own.api.TablesAPI.GetTable(own.as, table).Execute()
	must(err)
	return view
}

func (own *player) sit(table string) {
	view, wish := own.view(table), fairshoe.NewSeatWish()
	if view.Cash.Get() != nil {
		wish.SetBuyIn(view.Rules.Table.StakeMin)
	}
	sat, _, err := own.api.TablesAPI.TakeSeat(own.as, table).SeatWish(*wish).Execute()
	checkEntries(sat, err)
}

// One look at the table: whatever is this player's to do is done.
func (own *player) turn(table, spot string) {
	view := own.view(table)
	knows := func(number int64) bool { return own.seeds[seedOf{table, number}] != nil }
	cash, window := view.Cash.Get(), view.Window.Get()
	switch {
	case view.Round.Get() != nil:
		own.play(view, *view.Round.Get())
	case cash != nil:
		if call := cash.Call.Get(); call != nil && contains(call.Awaited, own.name) && !knows(call.RoundNo) {
			own.commit(view, call.RoundNo)
		}
	case view.Rules.Table.Mode == "solo":
		if view.Shoe.Get() != nil && len(own.seeds) == 0 {
			own.bet(view, view.NextRound, spot)
		}
	case window != nil && !knows(window.RoundNo):
		for _, seat := range view.Seats {
			if seat.Player == own.name {
				own.bet(view, window.RoundNo, strconv.Itoa(int(seat.Seat)))
			}
		}
	}
}

func contains(all []string, wanted string) bool {
	for _, one := range all {
		if one == wanted {
			return true
		}
	}
	return false
}

func (own *player) bet(view *fairshoe.TableView, number int64, spot string) {
	bets := []fairshoe.Bet{*fairshoe.NewBet(spot, view.Rules.Table.StakeMin)}
	body := fairshoe.NewBetRequest(number, bets, own.commitment(view, number))
	placed, _, err := own.api.RoundsAPI.PlaceBet(own.as, view.Table).BetRequest(*body).Execute()
	checkEntries(placed, err)
}

func (own *player) commit(view *fairshoe.TableView, number int64) {
	id := fmt.Sprintf("%s:%d", view.Table, number)
	body := fairshoe.NewCommit(own.commitment(view, number))
	taken, _, err := own.api.RoundsAPI.CommitSeed(own.as, id).Commit(*body).Execute()
	checkEntries(taken, err)
}

func (own *player) reveal(table string, number int64) {
	body := fairshoe.NewReveal(own.name, hex.EncodeToString(own.seeds[seedOf{table, number}]))
	id := fmt.Sprintf("%s:%d", table, number)
	taken, _, err := own.api.RoundsAPI.RevealSeed(own.as, id).Reveal(*body).Execute()
	checkEntries(taken, err)
}

func (own *player) play(view *fairshoe.TableView, id string) {
	read, _, err := own.api.RoundsAPI.GetRound(own.as, id).Execute()
	must(err)
	round := read.Round
	if round.Phase == fairshoe.PHASE_AWAITING_REVEALS {
		for _, one := range round.Contributors {
			if one.Player == own.name && one.Seed.Get() == nil {
				own.reveal(view.Table, round.RoundNo)
			}
		}
		return
	}
	if round.Pile != nil {
		own.shuffle(view, round.Pile)
		return
	}
	for _, decision := range round.Decisions {
		if decision.Player == own.name {
			body := fairshoe.NewAct(decision.Decision, own.choose(decision, round))
			acted, _, err := own.api.RoundsAPI.Act(own.as, id).Act(*body).Execute()
			checkEntries(acted, err)
			return
		}
	}
}

// A new pile in mid-game.
func (own *player) shuffle(view *fairshoe.TableView, pile *fairshoe.PileView) {
	for _, one := range pile.Players {
		if one.Player != own.name {
			continue
		}
		if one.Commitment.Get() == nil {
			own.commit(view, pile.RoundNo)
		} else if one.Seed.Get() == nil && pile.Awaits == "seeds" {
			own.reveal(view.Table, pile.RoundNo)
		}
	}
}

// What is quiet, else what is least.
func (own *player) choose(decision fairshoe.Decision, round fairshoe.RoundView) fairshoe.Action {
	offered := map[string]fairshoe.Offer{}
	for _, offer := range decision.Options {
		offered[string(offer.Action)] = offer
	}
	var chosen interface{} = "hit"
	object := func(word string, fields map[string]interface{}) {
		if _, ok := offered[word]; ok {
			chosen = map[string]interface{}{word: fields}
		}
	}
	// The last one that is offered is chosen.
	for _, word := range []string{"raise", "bet"} {
		if to := offered[word].To; len(to) > 0 {
			object(word, map[string]interface{}{"to": to[0]})
		}
	}
	object("discard", map[string]interface{}{})
	object("open", map[string]interface{}{})
	if game := round.Game.Get(); game != nil && game.SafeView != nil {
		for _, one := range game.SafeView.Players {
			if hand := one.Hand.Get(); one.Player == own.name && hand != nil {
				for _, card := range hand.Cards {
					if seen := card.Card.Get(); seen != nil {
						object("change", map[string]interface{}{"card": *seen})
					}
				}
			}
		}
	}
	object("even_money", map[string]interface{}{"take": false})
	object("insurance", map[string]interface{}{"take": false})
	for at := range quiet {
		word := quiet[len(quiet)-1-at]
		if _, ok := offered[word]; ok {
			chosen = word
		}
	}
	text, err := json.Marshal(chosen)
	must(err)
	var action fairshoe.Action
	must(json.Unmarshal(text, &action))
	return action
}

func hand(api *fairshoe.APIClient, operator context.Context, rules string, count int, game, spot string) {
	players := []*player{}
	for number := 0; number < count; number++ {
		players = append(players, newPlayer(api, operator, fmt.Sprintf("go-%s-%d", rules, number)))
	}
	table, wanted := "go-"+rules, fairshoe.NewNewTable(rules)
	if count == 1 {
		// A table for one is that player's own, and has a name that the house gives it.
		opened, _, err := api.TablesAPI.OpenTable(players[0].as).NewTable(*wanted).Execute()
		table = checkEntries(opened, err).GetTable()
	} else {
		wanted.SetTable(table)
		opened, _, err := api.TablesAPI.OpenTable(operator).NewTable(*wanted).Execute()
		checkEntries(opened, err)
		for _, one := range players {
			one.sit(table)
		}
	}
	id := fmt.Sprintf("%s:%d", table, players[0].view(table).NextRound)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, one := range players {
			one.turn(table, spot)
		}
		read, reply, err := api.RoundsAPI.GetRound(players[0].as, id).Execute()
		if reply != nil && reply.StatusCode == 404 {
			// It has not begun.
			continue
		}
		must(err)
		round := read.Round
		if round.Phase == fairshoe.PHASE_VOIDED {
			panic(rules + ": void")
		}
		if round.Phase == fairshoe.PHASE_SETTLED {
			if shown := fmt.Sprintf("%T", round.Game.Get().GetActualInstance()); shown != game {
				panic(rules + ": the client reads " + shown)
			}
			const told = "%s: settled, %d staked, %d returned; %d openings\n"
			fmt.Printf(told, rules, round.Staked, round.Returned, len(read.Openings))
			return
		}
	}
	panic(rules + ": not settled")
}

func main() {
	settings := fairshoe.NewConfiguration()
	settings.Servers = fairshoe.ServerConfigurations{{URL: os.Args[1]}}
	api, operator := fairshoe.NewAPIClient(settings), holder(os.Args[2])
	for _, row := range hands {
		hand(api, operator, row.rules, row.count, row.game, row.spot)
	}
}
