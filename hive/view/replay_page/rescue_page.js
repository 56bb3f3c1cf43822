begin(makeRescue, (game) => new (withPlayer(RescueScreen, 1))(game));
