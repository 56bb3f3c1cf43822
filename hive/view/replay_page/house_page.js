begin(makeHouse, (game) => new (withPlayer(HouseScreen, 3))(game));
